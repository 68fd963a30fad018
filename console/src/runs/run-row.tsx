import type { ReactNode } from 'react';
import type { Run } from '../api/types.js';
import { count, duration, shortTime, time } from '../lib/format.js';
import { hrefOf, Link } from '../lib/router.js';

/** The titles of the columns of a list of runs; people who hear the page get the facts in each row. */
export function RunHead(): ReactNode {
  return (
    <div className="run-row run-head" aria-hidden="true">
      {['Status', 'Request', 'Wire', 'Agent', 'User', 'Created', 'Took', 'Tokens'].map((title) => (
        <span key={title}>{title}</span>
      ))}
    </div>
  );
}

/** One run of a list: a link to it. */
export function RunRow({ run }: { readonly run: Run }): ReactNode {
  const { id, input, status, queuePosition, wire, agent, userId, createdAt, startedAt, endedAt, usage } = run;
  const took = startedAt && endedAt ? duration(Date.parse(endedAt) - Date.parse(startedAt)) : '';
  return (
    <Link to={hrefOf(['runs', id])} className="run-row">
      <span className={`badge ${status}`}>{queuePosition === null ? status : `${status} (${queuePosition}.)`}</span>
      <span className="run-input">{input ?? id}</span>
      <span className="fact">{wire}</span>
      <span className="fact">{agent}</span>
      <span className="fact">{userId}</span>
      <span className="fact" title={time(createdAt)}>
        {shortTime(createdAt)}
      </span>
      <span className="fact number">{took}</span>
      <span className="fact number">
        {usage && (
          <>
            {count(usage.totalTokens)}
            <span className="unit"> tokens</span>
          </>
        )}
      </span>
    </Link>
  );
}
