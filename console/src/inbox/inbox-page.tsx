import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { json } from '../api/client.js';
import type { Interrupt, InterruptAnswer } from '../api/types.js';
import { time } from '../lib/format.js';
import { hrefOf, Link, usePlace } from '../lib/router.js';
import { usePages } from '../lib/use-pages.js';
import { Json } from '../ui/json.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { InterruptForm } from './interrupt-form.js';

const REFRESH_MS = 3000;

/** Approvals and questions of all runs. What is decided here lets every waiting client go on. */
export function InboxPage(): ReactNode {
  const status = usePlace().query.get('status') ?? 'pending';
  const { rows, error, isLoading, hasMore, more, refresh } = usePages<Interrupt>('interrupts', { status, limit: 20 });
  const queries = useQueryClient();
  const [answerError, setAnswerError] = useState<unknown>();
  useEffect(() => {
    const timer = setInterval(() => void (status === 'pending' && refresh()), REFRESH_MS);
    return () => clearInterval(timer);
  });
  const answer = ({ id, kind }: Interrupt, given: InterruptAnswer): void => {
    const body = given.cancel || kind === 'approval' ? given : { payload: given.payload };
    setAnswerError(undefined);
    json<Interrupt>(`interrupts/${id}`, { body })
      .catch(setAnswerError)
      .finally(() => void queries.invalidateQueries({ queryKey: ['interrupts'] }));
  };
  return (
    <div className="page">
      <header>
        <h1>Inbox</h1>
        <nav aria-label="Which" className="row">
          {['pending', 'resolved', 'canceled', 'expired'].map((one) => (
            <Link
              key={one}
              to={hrefOf(['inbox'], { status: one })}
              className="button"
              aria-current={one === status ? 'true' : undefined}
            >
              {one}
            </Link>
          ))}
        </nav>
      </header>
      <ErrorNotice error={error} />
      <ErrorNotice error={answerError} />
      {!isLoading && rows.length === 0 && !error && <p className="muted">Nothing is {status}.</p>}
      <ul className="cards">
        {rows.map((interrupt) => (
          <li key={interrupt.id}>
            <p className="muted">
              {time(interrupt.createdAt)} · <Link to={hrefOf(['runs', interrupt.runId])}>Run</Link> ·{' '}
              <Link to={hrefOf(['sessions', interrupt.sessionId])}>Session</Link>
            </p>
            {interrupt.status === 'pending' ? (
              <InterruptForm interrupt={interrupt} onAnswer={(given) => answer(interrupt, given)} />
            ) : (
              <Json value={interrupt} label={`Interrupt ${interrupt.id}`} />
            )}
          </li>
        ))}
      </ul>
      {hasMore && (
        <button type="button" onClick={more}>
          More
        </button>
      )}
    </div>
  );
}
