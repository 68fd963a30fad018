import type { ReactNode } from 'react';
import { time } from '../lib/format.js';
import type { ModelFailure } from '../api/types.js';

/** The last failures, each with what the server said and the likely cause. */
export function ModelFailures({ failures }: { readonly failures: readonly ModelFailure[] }): ReactNode {
  return (
    <section aria-label="Last failures" className="stack">
      <h3>Last failures</h3>
      {failures.length === 0 && <p className="muted">No call has failed since this process started.</p>}
      <ul className="plain stack">
        {failures.map((failure) => (
          <Failure key={`${failure.code} ${failure.model} ${failure.address} ${failure.says}`} failure={failure} />
        ))}
      </ul>
    </section>
  );
}

function Failure({ failure }: { readonly failure: ModelFailure }): ReactNode {
  const { at, count, code, message, status, model, address, says, cause } = failure;
  return (
    <li className="notice error">
      <p>
        <strong>{message}</strong> <code>{code}</code> {status !== null && `status ${status}`}
      </p>
      <p>
        {model}
        {address !== null && (
          <>
            {' '}
            at <code>{address}</code>
          </>
        )}
        , {time(at)}
        {count > 1 && `, ${count} times`}
      </p>
      {says !== null && (
        <p>
          The server said: <q>{says}</q>
        </p>
      )}
      {cause !== null && <p>{cause}</p>}
    </li>
  );
}
