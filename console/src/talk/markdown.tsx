import type { ReactNode } from 'react';
import { Picture } from '../ui/picture.js';
import { type Block, blocksOf } from './markdown-blocks.js';

/**
 * The parts of Markdown that answers use most: paragraphs, headings, lists, code, bold text, links and images. Nothing is
 * inserted as HTML, so an answer cannot add anything else to the page.
 */
export function Markdown({ text }: { readonly text: string }): ReactNode {
  return <div className="markdown">{blocksOf(text).map(renderBlock)}</div>;
}

function renderBlock(block: Block, key: number): ReactNode {
  switch (block.type) {
    case 'code':
      return (
        <pre key={key} tabIndex={0} role="region" aria-label="Code">
          <code>{block.text}</code>
        </pre>
      );
    case 'heading':
      return (
        <p key={key}>
          <strong>{spans(block.text)}</strong>
        </p>
      );
    case 'paragraph':
      return <p key={key}>{spans(block.text)}</p>;
    case 'list': {
      const items = block.items.map((item, index) => <li key={index}>{spans(item)}</li>);
      return block.ordered ? <ol key={key}>{items}</ol> : <ul key={key}>{items}</ul>;
    }
  }
}

const SPAN =
  /(`[^`]+`|\*\*[^*]+\*\*|!\[[^\]]*\]\((?:https?:\/\/|data:image\/)[^)\s]+\)|\[[^\]]+\]\(https?:\/\/[^)\s]+\))/;

function spans(text: string): ReactNode[] {
  return text.split(SPAN).map((part, index) => {
    if (index % 2 === 0) return part;
    if (part.startsWith('`')) return <code key={index}>{part.slice(1, -1)}</code>;
    if (part.startsWith('**')) return <strong key={index}>{part.slice(2, -2)}</strong>;
    const [, mark, label = '', url = ''] = /^(!?)\[(.*)\]\((.+)\)$/.exec(part) ?? [];
    if (mark === '!') return <Picture key={index} url={url} alt={label || 'From the agent'} />;
    return (
      <a key={index} href={url} target="_blank" rel="noreferrer noopener">
        {label}
      </a>
    );
  });
}
