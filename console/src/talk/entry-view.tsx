import { memo, type ReactNode } from 'react';
import { Card } from './card.js';
import { Markdown } from './markdown.js';
import { Json } from '../ui/json.js';
import { Outcome } from '../ui/outcome.js';
import { Picture } from '../ui/picture.js';
import type { Entry, EntryOf } from './transcript.js';

/** One entry of a conversation. */
export const EntryView = memo(function EntryView({ entry }: { readonly entry: Entry }): ReactNode {
  switch (entry.kind) {
    case 'user':
      return (
        <article className="entry user" aria-label="You">
          {entry.images.map((url) => (
            <Picture key={url} url={url} alt="Sent with the message" />
          ))}
          {entry.text && <p className="plain">{entry.text}</p>}
        </article>
      );
    case 'text':
      return (
        <article className="entry agent" aria-label="Agent" aria-busy={!entry.done}>
          <Markdown text={entry.text} />
        </article>
      );
    case 'reasoning':
      return (
        <details className="entry reasoning" open={!entry.done}>
          <summary>Reasoning</summary>
          <p className="plain">{entry.text}</p>
        </details>
      );
    case 'call':
      return <CallView entry={entry} />;
    case 'image':
      return (
        <div className="entry">
          <Picture url={entry.url} alt="From the agent" />
        </div>
      );
    case 'card':
      return <Card card={entry.card} />;
    case 'notice':
      return <p className={`entry notice ${entry.tone}`}>{entry.text}</p>;
  }
});

function CallView({ entry: { name, args, result, done, outcome } }: { readonly entry: EntryOf<'call'> }): ReactNode {
  const state = outcome ?? (result !== undefined ? 'completed' : done ? 'waiting' : 'writing');
  return (
    <details className="entry call" data-state={state}>
      <summary>
        <span className="tool">{name}</span> <Outcome state={state} />
      </summary>
      <h2>Arguments</h2>
      <Json value={args} label={`Arguments of ${name}`} />
      {result !== undefined && (
        <>
          <h2>Result</h2>
          <Json value={result} label={`Result of ${name}`} />
        </>
      )}
    </details>
  );
}
