import type { ReactNode } from 'react';
import { parley } from '../api/client.js';
import type { Interrupt, InterruptAnswer } from '../api/types.js';
import { decidersOf } from '../lib/deciders.js';
import { ago, time } from '../lib/format.js';
import { hrefOf, Link } from '../lib/router.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { useAction } from '../ui/use-action.js';
import { Decided, DecidedLine } from './decided.js';
import { InterruptForm } from './interrupt-form.js';

interface Props {
  readonly interrupt: Interrupt;
  /** In milliseconds since the epoch. */
  readonly now: number;
  /** Called with the interrupt as it is once the person has answered. */
  readonly onAnswered: (interrupt: Interrupt) => void;
}

/** An approval or a question with what it belongs to, and the form for it, or what came of it. */
export function InterruptCard({ interrupt, now, onAnswered }: Props): ReactNode {
  const { error, isBusy, run } = useAction('interrupts');
  const { id, kind, status } = interrupt;
  const answer = (given: InterruptAnswer): void => {
    const body = given.cancel || kind === 'approval' ? given : { payload: given.payload };
    run(async () => onAnswered(await parley().answer(id, body)));
  };
  return (
    <article className="inbox-card" aria-label={titleOf(interrupt)}>
      <Facts interrupt={interrupt} now={now} />
      {status === 'pending' ? (
        <InterruptForm interrupt={interrupt} isBusy={isBusy} onAnswer={answer} />
      ) : (
        <div className="ask">
          <h2>
            <Link to={hrefOf(['inbox', id])} className="plain-link">
              <DecidedLine interrupt={interrupt} />
            </Link>
          </h2>
          <Decided interrupt={interrupt} />
        </div>
      )}
      {status === 'pending' && <ErrorNotice error={error} />}
    </article>
  );
}

/** What an interrupt is about, for the title of a page. */
export function titleOf({ kind, toolName, message }: Pick<Interrupt, 'kind' | 'toolName' | 'message'>): string {
  return kind === 'approval' ? `Approval of ${toolName ?? 'a call'}` : (message ?? 'Question of an agent');
}

/** The user and the input of the run that asks, and since when it waits. */
function Facts({ interrupt, now }: { readonly interrupt: Interrupt; readonly now: number }): ReactNode {
  const { id, agent, userId, request, runId, sessionId, createdAt, expiresAt, status, approvers } = interrupt;
  return (
    <header className="inbox-facts">
      <p className="inbox-request">
        <Link to={hrefOf(['runs', runId])}>{request ?? `Run ${runId}`}</Link>
      </p>
      <p className="muted">
        {agent !== null && (
          <>
            <strong>{agent}</strong> for{' '}
          </>
        )}
        <strong>{userId}</strong> ·{' '}
        <Link to={hrefOf(['inbox', id])} title={time(createdAt)}>
          asked {ago(createdAt, now)}
        </Link>
        {status === 'pending' && expiresAt !== null && ` · expires ${time(expiresAt)}`}
        {' · '}
        <Link to={hrefOf(['sessions', sessionId])}>Session</Link>
      </p>
      {approvers && <p className="muted">To be decided by {decidersOf(approvers)}.</p>}
    </header>
  );
}
