import { isToolUIPart } from 'ai';
import type { JSX } from 'react';
import type { ChatMessage } from './api.js';
import { ToolCall } from './tool-call.js';
import type { AgentChat } from './use-agent-chat.js';

type Part = ChatMessage['parts'][number];
type Decide = AgentChat['decide'] | undefined;

/** A message: its parts in their order, then its sources. */
export function Message({ message, decide }: { readonly message: ChatMessage; readonly decide: Decide }): JSX.Element {
  const isUser = message.role === 'user';
  return (
    <article aria-label={isUser ? 'You' : 'Assistant'} className={message.role}>
      {message.parts.map((part, index) => (
        <PartView key={index} part={part} decide={decide} />
      ))}
      <Sources parts={message.parts} />
    </article>
  );
}

function PartView({ part, decide }: { readonly part: Part; readonly decide: Decide }): JSX.Element | null {
  if (isToolUIPart(part)) return <ToolCall part={part} decide={decide} />;
  switch (part.type) {
    case 'text':
      return <p className="text">{part.text}</p>;
    case 'reasoning':
      return (
        <details className="reasoning">
          <summary>Thoughts</summary>
          <p className="text">{part.text}</p>
        </details>
      );
    case 'file':
      return part.mediaType.startsWith('image/') ? (
        <img src={part.url} alt={part.filename ?? 'Image'} />
      ) : (
        <p>
          <a href={part.url}>{part.filename ?? `File (${part.mediaType})`}</a>
        </p>
      );
    default:
      // Sources are listed below the message. Parts `data-…` are for pages that know what they mean.
      return null;
  }
}

function Sources({ parts }: { readonly parts: readonly Part[] }): JSX.Element | null {
  const sources = parts.filter((part) => part.type === 'source-url' || part.type === 'source-document');
  if (sources.length === 0) return null;
  return (
    <ul aria-label="Sources" className="sources">
      {sources.map((source) => (
        <li key={source.sourceId}>
          {source.type === 'source-url' ? <a href={source.url}>{source.title ?? source.url}</a> : source.title}
        </li>
      ))}
    </ul>
  );
}
