import { type ReactNode, useContext } from 'react';
import type { Schema } from '../api/types.js';
import { isObject } from '../lib/format.js';
import { SendContext } from './send-context.js';

type Node = Readonly<Record<string, unknown>>;

/** A card (`ui_schema`) as it was compiled for the answer. */
export function Card({ card }: { readonly card: Schema }): ReactNode {
  const root = card['root'];
  return (
    <article
      className="entry card"
      aria-label="Card"
      data-status={text(card['status'])}
      lang={text(card['locale']) || undefined}
    >
      {isObject(root) ? <NodeView node={root} /> : null}
    </article>
  );
}

function NodeView({ node }: { readonly node: Node }): ReactNode {
  switch (node['type']) {
    case 'stack':
      return <div className={node['direction'] === 'horizontal' ? 'row' : 'stack'}>{children(node)}</div>;
    case 'grid':
      return <div className="grid">{children(node)}</div>;
    case 'list': {
      const items = nodes(node['children']).map((child, index) => (
        <li key={index}>
          <NodeView node={child} />
        </li>
      ));
      return node['ordered'] === true ? <ol>{items}</ol> : <ul>{items}</ul>;
    }
    case 'divider':
      return <hr />;
    default:
      return <LeafView node={node} />;
  }
}

function LeafView({ node }: { readonly node: Node }): ReactNode {
  const label = text(node['label']);
  switch (node['type']) {
    case 'text':
      return <TextView role={text(node['role'])} content={text(node['content'])} />;
    case 'badge':
      return <span className={`badge ${text(node['status'])}`}>{label}</span>;
    case 'kv':
      return (
        <dl>
          {nodes(node['items']).map((item, index) => (
            <div key={index}>
              <dt>{text(item['label'])}</dt>
              <dd>{text(item['value'])}</dd>
            </div>
          ))}
        </dl>
      );
    case 'image':
      return <img src={text(node['url'])} alt={text(node['alt'])} />;
    case 'link':
      return <ExternalLink url={text(node['url'])} label={label} />;
    case 'button':
      return <ActionView label={label} action={isObject(node['action']) ? node['action'] : {}} />;
    case 'progress':
      return (
        <progress aria-label="Progress" max={1} value={typeof node['value'] === 'number' ? node['value'] : undefined} />
      );
    case 'table':
      return <TableView node={node} />;
    default:
      return null;
  }
}

function TextView({ role, content }: { readonly role: string; readonly content: string }): ReactNode {
  if (role === 'title') return <h2>{content}</h2>;
  if (role === 'subtitle') return <h3>{content}</h3>;
  if (role === 'code') return <code>{content}</code>;
  return <p className={role === 'caption' ? 'muted' : undefined}>{content}</p>;
}

/** A button that opens an address is a link. What the other actions do is offered by the conversation itself. */
function ActionView({ label, action }: { readonly label: string; readonly action: Node }): ReactNode {
  const send = useContext(SendContext);
  const payload = isObject(action['payload']) ? action['payload'] : {};
  const url = text(payload['url']);
  if (action['type'] === 'open_url') return <ExternalLink url={url} label={label} />;
  return action['type'] === 'send_message' ? (
    <button type="button" onClick={() => send(text(payload['text']) || text(payload['message']) || label)}>
      {label}
    </button>
  ) : (
    <span className="badge">{label}</span>
  );
}

function ExternalLink({ url, label }: { readonly url: string; readonly label: string }): ReactNode {
  if (!/^https?:\/\//i.test(url)) return <span>{label}</span>;
  return (
    <a href={url} target="_blank" rel="noreferrer noopener">
      {label}
    </a>
  );
}

function TableView({ node }: { readonly node: Node }): ReactNode {
  const columns = Array.isArray(node['columns']) ? node['columns'].map(text) : [];
  const rows = Array.isArray(node['rows']) ? node['rows'] : [];
  return (
    <table>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row: unknown, index) => (
          <tr key={index}>{Array.isArray(row) ? row.map((cell, at) => <td key={at}>{text(cell)}</td>) : null}</tr>
        ))}
      </tbody>
    </table>
  );
}

function children(node: Node): ReactNode[] {
  return nodes(node['children']).map((child, index) => <NodeView key={index} node={child} />);
}

function nodes(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}
