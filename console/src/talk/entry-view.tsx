import { memo, type ReactNode } from 'react';
import type { Interrupt, Run } from '../api/types.js';
import { Decided, DecidedLine } from '../inbox/decided.js';
import { count, duration } from '../lib/format.js';
import { hrefOf, Link } from '../lib/router.js';
import { Json } from '../ui/json.js';
import { Outcome } from '../ui/outcome.js';
import { Picture } from '../ui/picture.js';
import { Card } from './card.js';
import { Markdown } from './markdown.js';
import { callStateOf, type Entry, type EntryOf } from './transcript.js';

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
    case 'decision':
      return <DecisionView interrupt={entry.interrupt} />;
    case 'end':
      return <EndView run={entry.of} />;
    case 'notice':
      return <p className={`entry notice ${entry.tone}`}>{entry.text}</p>;
  }
});

function CallView({ entry }: { readonly entry: EntryOf<'call'> }): ReactNode {
  const { name, args, called, result } = entry;
  const state = callStateOf(entry);
  return (
    <details className="entry call" data-state={state}>
      <summary>
        <span className="tool">{name}</span> <Outcome state={state} />
      </summary>
      <h2>{called === undefined ? 'Arguments' : 'Called with'}</h2>
      <Json value={called ?? args} label={`Arguments of ${name}`} />
      {called !== undefined && (
        <>
          <h2>The model wrote</h2>
          <Json value={args} label={`Arguments that the model wrote for ${name}`} />
        </>
      )}
      {result !== undefined && (
        <>
          <h2>Result</h2>
          <Json value={result} label={`Result of ${name}`} />
        </>
      )}
    </details>
  );
}

/** What a person has decided or answered, at its place in the conversation. */
function DecisionView({ interrupt }: { readonly interrupt: Interrupt }): ReactNode {
  return (
    <details className="entry decision-entry">
      <summary>
        <DecidedLine interrupt={interrupt} />
      </summary>
      <Decided interrupt={interrupt} />
    </details>
  );
}

/** How a run ended, and where it is shown in full. */
function EndView({ run }: { readonly run: Run }): ReactNode {
  const { id, status, agent, answeredBy, model, startedAt, endedAt, usage } = run;
  const facts = [
    agent,
    answeredBy ?? model,
    startedAt !== null && endedAt !== null ? duration(Date.parse(endedAt) - Date.parse(startedAt)) : null,
    usage ? `${count(usage.totalTokens)} tokens` : null,
  ].filter((fact) => fact !== null);
  return (
    <p className="entry run-end" data-status={status}>
      <Link to={hrefOf(['runs', id])}>{facts.join(' · ')}</Link>
    </p>
  );
}
