import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useEffectEvent } from 'react';
import { request } from '../api/client.js';
import { useConnection } from '../lib/connection.js';
import { clock } from '../lib/format.js';

/** How often the server is checked: while it answers, and while it does not. */
const PULSE_MS = 10_000;
const AWAY_MS = 2000;

/** Says that the server does not answer, and of when the rows of the page are. What is shown is read again afterwards. */
export function ConnectionNotice(): ReactNode {
  const { lostAt, answeredAt } = useConnection();
  const queries = useQueryClient();
  const ask = async (): Promise<void> => {
    const answer = await request('api/v1/console').catch(() => undefined);
    if (answer && lostAt !== undefined) await queries.invalidateQueries();
  };
  const look = useEffectEvent(() => {
    if (document.visibilityState !== 'hidden') void ask();
  });
  useEffect(() => {
    const timer = setInterval(() => look(), lostAt === undefined ? PULSE_MS : AWAY_MS);
    return () => clearInterval(timer);
  }, [lostAt]);
  if (lostAt === undefined) return null;
  return (
    <div className="connection notice warning row" role="alert">
      <p>
        <strong>The server does not answer</strong> since {clock(lostAt)}.{' '}
        {answeredAt !== undefined && `What is shown is of ${clock(answeredAt)} and may be out of date.`}
      </p>
      <button type="button" onClick={() => void ask()}>
        Retry
      </button>
    </div>
  );
}
