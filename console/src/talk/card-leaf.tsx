import type { ReactNode } from 'react';
import { isObject } from '../lib/format.js';
import { Picture } from '../ui/picture.js';
import { CardAction, CardLink } from './card-action.js';
import { type CardNode, nodesIn, textIn } from './card-node.js';

/** A node of a card that has content. */
export function CardLeaf({ node }: { readonly node: CardNode }): ReactNode {
  const label = textIn(node['label']);
  const url = textIn(node['url']);
  switch (node['type']) {
    case 'text':
      return <CardText role={textIn(node['role'])} content={textIn(node['content'])} />;
    case 'badge':
      return <span className={`badge ${textIn(node['status'])}`}>{label}</span>;
    case 'kv':
      return <CardPairs items={nodesIn(node['items'])} />;
    case 'image':
      return <Picture url={url} alt={textIn(node['alt'])} />;
    case 'link':
      return <CardLink url={url} label={label} />;
    case 'button':
      return <CardAction label={label} action={isObject(node['action']) ? node['action'] : {}} />;
    case 'progress':
      return (
        <progress aria-label="Progress" max={1} value={typeof node['value'] === 'number' ? node['value'] : undefined} />
      );
    case 'table':
      return <CardTable node={node} />;
    default:
      return null;
  }
}

function CardText({ role, content }: { readonly role: string; readonly content: string }): ReactNode {
  if (role === 'title') return <h2>{content}</h2>;
  if (role === 'subtitle') return <h3>{content}</h3>;
  if (role === 'code') return <code>{content}</code>;
  return <p className={role === 'caption' ? 'muted' : undefined}>{content}</p>;
}

function CardPairs({ items }: { readonly items: readonly CardNode[] }): ReactNode {
  return (
    <dl>
      {items.map((item, index) => (
        <div key={index}>
          <dt>{textIn(item['label'])}</dt>
          <dd>{textIn(item['value'])}</dd>
        </div>
      ))}
    </dl>
  );
}

function CardTable({ node }: { readonly node: CardNode }): ReactNode {
  const columns: readonly unknown[] = Array.isArray(node['columns']) ? node['columns'] : [];
  const rows: readonly unknown[] = Array.isArray(node['rows']) ? node['rows'] : [];
  return (
    <table>
      <thead>
        <tr>
          {columns.map((column, index) => (
            <th key={index} scope="col">
              {textIn(column)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={index}>{Array.isArray(row) ? row.map((cell, at) => <td key={at}>{textIn(cell)}</td>) : null}</tr>
        ))}
      </tbody>
    </table>
  );
}
