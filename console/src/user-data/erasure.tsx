import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { json, ParleyError } from '../api/client.js';
import type { ErasureReceipt } from '../api/types.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { useAction } from '../ui/use-action.js';
import { Receipt } from './receipt.js';

/** How often the receipt is read while the erasure goes on, in milliseconds. Administration is limited to one request a second. */
const PROGRESS_MS = 2000;

interface Props {
  readonly id: string;
  /** Whether it is the person who uses the console. */
  readonly isSelf: boolean;
}

/** The newest erasure of a user, and a form that asks for one. */
export function Erasure({ id, isSelf }: Props): ReactNode {
  const path = `admin/users/${encodeURIComponent(id)}`;
  const receiptPath = `${path}/erasure`;
  const { data: receipt, error, refetch } = useReceipt(receiptPath);
  const { error: actionError, isBusy, run } = useAction(receiptPath);
  const isErasing = receipt?.status === 'erasing';
  return (
    <>
      <section className="panel" aria-label="Receipt">
        <h2>Receipt</h2>
        <ErrorNotice error={error} onRetry={() => void refetch()} />
        {receipt === undefined && !error && <p className="muted">Loading…</p>}
        {receipt === null && <p className="muted">There is none: this user was not erased.</p>}
        {receipt && <Receipt receipt={receipt} />}
      </section>
      <section className="panel" aria-label="Erase this person">
        <h2>Erase this person</h2>
        <p>
          This stops the runs of <code>{id}</code> and removes all that is stored of this user: sessions with their
          messages, runs, attachments, settings, schedules, keys, and the name in the audit trail. It cannot be undone;
          what was used stays in the reports under a pseudonym, and until it is done the user can store nothing.
        </p>
        {isSelf && (
          <p className="notice warning">
            This is you. Keys that always act for you are removed, too: this page may ask you to sign in again.
          </p>
        )}
        <Confirmation
          id={id}
          disabled={isBusy || isErasing}
          onConfirm={(onDone) => run(() => json(path, { method: 'DELETE' }), onDone)}
        />
        <ErrorNotice error={actionError} />
      </section>
    </>
  );
}

/** The receipt, read again while the erasure goes on; null if there is none. */
function useReceipt(path: string): UseQueryResult<ErasureReceipt | null> {
  return useQuery({
    queryKey: [path],
    queryFn: async ({ signal }) => {
      try {
        return await json<ErasureReceipt>(path, { signal });
      } catch (error) {
        if (error instanceof ParleyError && error.status === 404) return null;
        throw error;
      }
    },
    refetchInterval: ({ state: { data } }) => (data && data.status !== 'done' ? PROGRESS_MS : false),
  });
}

interface ConfirmationProps {
  readonly id: string;
  readonly disabled: boolean;
  /** @param onDone called once the server has accepted it */
  readonly onConfirm: (onDone: () => void) => void;
}

/** Asks for the id once more, so that nobody is erased by a slip. */
function Confirmation({ id, disabled, onConfirm }: ConfirmationProps): ReactNode {
  const [typed, setTyped] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (typed === id) onConfirm(() => setTyped(''));
  };
  return (
    <form className="stack form" aria-label="Confirmation" onSubmit={submit}>
      <label>
        Type the id of the user to confirm
        <input autoComplete="off" spellCheck={false} value={typed} onChange={({ target }) => setTyped(target.value)} />
      </label>
      <button type="submit" className="danger" disabled={disabled || typed !== id}>
        Erase this person
      </button>
    </form>
  );
}
