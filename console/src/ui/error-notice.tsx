import type { ReactNode } from 'react';
import { ParleyError } from '../api/client.js';
import { useConnection } from '../lib/connection.js';
import { messageOf, sentence } from '../lib/format.js';

interface Props {
  /** What was thrown, or a text; undefined and null show nothing. */
  readonly error: unknown;
  /** Reads again; nothing is offered without it. */
  readonly onRetry?: () => void;
}

const FORBIDDEN = 'Your credential may not do this.';

/** An error, in the words of the server; what the person can do about it where that is known. */
export function ErrorNotice({ error, onRetry }: Props): ReactNode {
  const { lostAt } = useConnection();
  if (error === undefined || error === null) return null;
  const isForbidden = error instanceof ParleyError && error.status === 403;
  // The frame says so, and offers to try again.
  if (error instanceof TypeError && lostAt !== undefined)
    return <p className="muted">Nothing can be read while the server does not answer.</p>;
  const isOffline = error instanceof TypeError;
  return (
    <p role="alert" className="notice error">
      {isOffline
        ? 'The server cannot be reached.'
        : isForbidden
          ? `${sentence(messageOf(error))} ${FORBIDDEN}`
          : messageOf(error)}
      {onRetry && (
        <>
          {' '}
          <button type="button" onClick={onRetry}>
            Try again
          </button>
        </>
      )}
    </p>
  );
}
