import { useSyncExternalStore } from 'react';

const KEY = 'parley.credential';
const listeners = new Set<() => void>();

/** An API key or token of this tab, or undefined. It is forgotten when the tab is closed. */
export function credential(): string | undefined {
  return sessionStorage.getItem(KEY) ?? undefined;
}

/** Keeps a credential for this tab, so that a reload continues; undefined forgets it. */
export function setCredential(token: string | undefined): void {
  if (token === undefined) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, token);
  for (const listener of listeners) listener();
}

/** The credential; the component is rendered again when it changes. */
export function useCredential(): string | undefined {
  return useSyncExternalStore(subscribe, credential);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
