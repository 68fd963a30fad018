import type { ReactNode } from 'react';
import type { Run } from '../api/types.js';
import { ago, count, duration, time } from '../lib/format.js';
import { hrefOf, Link } from '../lib/router.js';
import { wireTitle } from '../lib/wires.js';
import { Outcome, stateOf } from '../ui/outcome.js';
import { answeredFor, askedWords, tokensOf, tookOf, type Turn } from './turns.js';

/** What stands for the words of a request that has none. */
const WORDLESS = 'No text in the request';

/** The titles of the columns of a list of runs; people who hear the page get the facts in each row. */
export function RunHead(): ReactNode {
  return (
    <div className="run-row run-head" aria-hidden="true">
      {['Status', 'Request', 'Agent', 'User', 'Started', 'Took', 'Tokens'].map((title) => (
        <span key={title} className={title === 'Agent' || title === 'User' ? 'origin' : undefined}>
          {title}
        </span>
      ))}
    </div>
  );
}

/** One turn of a list: a link to its first run, and one to each continuation. @param now for relative times */
export function TurnRow({ turn, now }: { readonly turn: Turn; readonly now: number }): ReactNode {
  const { id, input, runs, newest } = turn;
  const [first] = runs;
  const { userId, agent, wire, createdAt } = first ?? newest;
  const took = tookOf(runs);
  const continuations = runs.filter((run) => run.id !== id);
  return (
    <div className="turn">
      <Link to={hrefOf(['runs', id])} className="run-row">
        <span className="run-state">
          <State run={newest} />
        </span>
        <span className="run-request">
          <span className="run-input">{input ?? WORDLESS}</span>
          <Below run={newest} />
          <span className="second run-origin">{[agent, wireTitle(wire), userId].join(' · ')}</span>
        </span>
        <span className="fact two origin">
          <span>{agent}</span>
          <span className="second">{wireTitle(wire)}</span>
        </span>
        <span className="fact origin">{userId}</span>
        <span className="fact two">
          <span>{ago(createdAt, now)}</span>
          <span className="second">{time(createdAt)}</span>
        </span>
        <span className="fact number">{took === undefined ? '' : duration(took)}</span>
        <Tokens value={tokensOf(runs)} />
      </Link>
      {continuations.map((run) => (
        <Continuation key={run.id} run={run} asked={answeredFor(run, runs)} />
      ))}
    </div>
  );
}

/** A run that went on with an answer. */
function Continuation({ run, asked }: { readonly run: Run; readonly asked: string }): ReactNode {
  const took = tookOf([run]);
  return (
    <Link to={hrefOf(['runs', run.id])} className="run-row continuation">
      <span className="run-state">
        <Outcome state={stateOf(run)} />
      </span>
      <span className="run-request">
        <span className="run-input">
          <span aria-hidden="true">↳ </span>
          {asked}
        </span>
        <Below run={run} isLast={false} />
      </span>
      <span className="fact origin" />
      <span className="fact origin" />
      <span className="fact second">{time(run.createdAt)}</span>
      <span className="fact number">{took === undefined ? '' : duration(took)}</span>
      <Tokens value={run.usage?.totalTokens ?? null} />
    </Link>
  );
}

function State({ run }: { readonly run: Run }): ReactNode {
  const { queuePosition } = run;
  return (
    <>
      <Outcome state={stateOf(run)} />
      {queuePosition !== null && <span className="second">{queuePosition}. in its session</span>}
    </>
  );
}

/** The second line of a row: why it failed, or what it asks. */
function Below({ run, isLast = true }: { readonly run: Run; readonly isLast?: boolean }): ReactNode {
  const { error, interrupts } = run;
  if (error && run.status !== 'canceled')
    return (
      <span className="second run-error">
        <code>{error.code}</code> {error.message}
      </span>
    );
  const open = interrupts.filter(({ status }) => status === 'pending');
  if (!isLast || open.length === 0) return null;
  return <span className="second">{open.map(askedWords).join(', ')}</span>;
}

function Tokens({ value }: { readonly value: number | null }): ReactNode {
  return (
    <span className="fact number">
      {value !== null && (
        <>
          {count(value)}
          <span className="unit"> tokens</span>
        </>
      )}
    </span>
  );
}
