import type { ReactNode } from 'react';
import type { Schema } from '../api/types.js';
import { isObject } from '../lib/format.js';
import { CardLeaf } from './card-leaf.js';
import { type CardNode, nodesIn, textIn } from './card-node.js';

/** A card (`ui_schema`) as it was compiled for the answer. */
export function Card({ card }: { readonly card: Schema }): ReactNode {
  const root = card['root'];
  const theme = textIn(card['theme']);
  return (
    <article
      className="entry card"
      aria-label="Card"
      data-status={textIn(card['status'])}
      data-theme={theme === 'light' || theme === 'dark' ? theme : undefined}
      lang={textIn(card['locale']) || undefined}
    >
      {isObject(root) ? <CardNodeView node={root} /> : null}
    </article>
  );
}

function CardNodeView({ node }: { readonly node: CardNode }): ReactNode {
  const children = nodesIn(node['children']).map((child, index) => <CardNodeView key={index} node={child} />);
  switch (node['type']) {
    case 'stack': {
      const direction = node['direction'] === 'horizontal' ? 'row' : 'stack';
      const appearance = textIn(node['appearance']);
      return (
        <div className={`${direction} gap-${textIn(node['gap'])} ${appearance && `as-${appearance}`}`}>{children}</div>
      );
    }
    case 'grid':
      return <div className={`card-grid columns-${textIn(node['columns'])}`}>{children}</div>;
    case 'list': {
      const items = children.map((child, index) => <li key={index}>{child}</li>);
      return node['ordered'] === true ? <ol>{items}</ol> : <ul>{items}</ul>;
    }
    case 'divider':
      return <hr />;
    default:
      return <CardLeaf node={node} />;
  }
}
