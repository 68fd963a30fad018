import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { json } from '../api/client.js';
import type { Interrupt } from '../api/types.js';
import { isObject, time } from '../lib/format.js';
import { hrefOf, Link } from '../lib/router.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { JsonTree } from '../ui/json-tree.js';
import { deciderOf, decisionOf } from '../inbox/changes.js';
import { outcomeWord } from '../ui/outcome.js';

/** What a person was asked, and what was decided by whom. */
export function AskedPanel({ id }: { readonly id: string }): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: ['interrupts', id],
    queryFn: () => json<Interrupt>(`interrupts/${encodeURIComponent(id)}`),
  });
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <p className="muted">Loading…</p>;
  const { kind, status, message, reason, answeredAt, expiresAt, resumedByRunId } = data;
  const who = deciderOf(data);
  const decision = isObject(data.decision) ? data.decision : undefined;
  const edited = decision?.['arguments'];
  return (
    <>
      {message !== null && <p>{message}</p>}
      {reason !== null && reason !== message && <p className="muted">{reason}</p>}
      {data.arguments !== null && (
        <>
          <h3>Arguments of the model</h3>
          <JsonTree value={data.arguments} label="Arguments of the model" />
        </>
      )}
      <h3>{kind === 'approval' ? 'Decision' : 'Answer'}</h3>
      {status === 'pending' ? (
        <p>
          Nobody has answered yet{expiresAt !== null && `; it expires ${time(expiresAt)}`}.{' '}
          <Link to={hrefOf(['inbox'])}>Answer in the inbox</Link>
        </p>
      ) : (
        <p>
          {outcomeWord(decisionOf(data))}
          {who !== undefined && ` by ${who}`}
          {answeredAt !== null && `, ${time(answeredAt)}`}
          {typeof decision?.['reason'] === 'string' && `: ${decision['reason']}`}
        </p>
      )}
      {edited !== undefined && (
        <>
          <h3>Arguments as changed by the person</h3>
          <JsonTree value={edited} label="Changed arguments" />
        </>
      )}
      {decision?.['payload'] !== undefined && <JsonTree value={decision['payload']} label="Answer" />}
      {resumedByRunId !== null && <Link to={hrefOf(['runs', resumedByRunId])}>The run that went on</Link>}
    </>
  );
}
