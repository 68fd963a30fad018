import { useSyncExternalStore } from 'react';

/** What the page knows of its connection. Times are milliseconds since the epoch. */
export interface Connection {
  /** When the server answered last; undefined before the first answer. */
  readonly answeredAt: number | undefined;
  /** Since when it does not answer; undefined while it does. */
  readonly lostAt: number | undefined;
}

let now: Connection = { answeredAt: undefined, lostAt: undefined };
let answeredAt: number | undefined;
const listeners = new Set<() => void>();

/** The server has answered. */
export function noteAnswer(): void {
  answeredAt = Date.now();
  if (now.lostAt !== undefined || now.answeredAt === undefined) set({ answeredAt, lostAt: undefined });
}

/** A request had no answer of the server. */
export function noteLoss(): void {
  if (now.lostAt === undefined) set({ answeredAt, lostAt: Date.now() });
}

/** The connection now. */
export function connection(): Connection {
  return now;
}

/** The connection; the component is rendered again when it is lost or back. */
export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, connection);
}

function set(next: Connection): void {
  now = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
