import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { json } from '../api/client.js';
import type { Interrupt } from '../api/types.js';

/** What waits, and what has been decided since the page was opened. */
export interface Visit {
  readonly shown: readonly Interrupt[];
  /** Takes what the person has answered on this page. */
  readonly answered: (interrupt: Interrupt) => void;
}

/**
 * Keeps what was decided, here or elsewhere, at its place while the page is open: nothing vanishes without a trace.
 *
 * @param waiting what waits now, newest first
 * @param isKept whether rows that are missing now were decided
 */
export function useVisit(waiting: readonly Interrupt[], isKept: boolean): Visit {
  const [known, setKnown] = useState<readonly Interrupt[]>([]);
  const isNew = waiting.some(({ id }) => !known.some((one) => one.id === id));
  if (isKept && isNew) setKnown(merged(known, waiting));
  const ids = new Set(waiting.map(({ id }) => id));
  const gone = isKept ? known.filter(({ id, status }) => status === 'pending' && !ids.has(id)) : [];
  const decided = useQueries({
    queries: gone.map(({ id }) => ({
      queryKey: ['interrupts', id],
      queryFn: () => json<Interrupt>(`interrupts/${encodeURIComponent(id)}`),
    })),
  });
  const answers = new Map(decided.flatMap(({ data }) => (data ? [[data.id, data] as const] : [])));
  const now = new Map(waiting.map((one) => [one.id, one]));
  const answered = (interrupt: Interrupt): void =>
    setKnown((all) => all.map((one) => (one.id === interrupt.id ? interrupt : one)));
  const current = (one: Interrupt): Interrupt =>
    one.status === 'pending' ? (answers.get(one.id) ?? now.get(one.id) ?? one) : one;
  return { shown: isKept ? known.map(current) : waiting, answered };
}

/** Both, newest first, each once. */
function merged(known: readonly Interrupt[], more: readonly Interrupt[]): readonly Interrupt[] {
  const all = new Map([...more, ...known].map((one) => [one.id, one]));
  return [...all.values()].sort((one, other) => other.createdAt.localeCompare(one.createdAt));
}
