import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

/** A change at the server that a person asks for. */
export interface Action {
  /** Why the last one failed; undefined if it did not. */
  readonly error: unknown;
  readonly isBusy: boolean;
  /** Does it, then reads the lists again. @param onDone called if it did not fail */
  readonly run: (work: () => Promise<unknown>, onDone?: () => void) => void;
}

/** Runs changes one at a time. @param changed the first part of the keys of the queries that it changes */
export function useAction(changed: string): Action {
  const queries = useQueryClient();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const run = (work: () => Promise<unknown>, onDone?: () => void): void => {
    setError(undefined);
    setBusy(true);
    work()
      .then(onDone)
      .catch(setError)
      .finally(() => {
        setBusy(false);
        void queries.invalidateQueries({ queryKey: [changed] });
      });
  };
  return { error, isBusy, run };
}
