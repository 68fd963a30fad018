import { useSyncExternalStore } from 'react';

const KEY = 'parley.credentials';
const signInListeners = new Set<(before: Credential | undefined) => void>();
const renewalListeners = new Set<() => void>();

/** What an OpenID provider has given besides a token, so that the token can be renewed. */
export interface Grant {
  readonly clientId: string;
  readonly tokenEndpoint: string;
  /** Undefined if the provider revokes nothing. */
  readonly revocationEndpoint?: string | undefined;
  /** Redeemed once: each renewal brings the next one. */
  readonly refreshToken: string;
  /** When the token is renewed, in milliseconds since the epoch; undefined if the provider does not say when it expires. */
  readonly renewAt?: number | undefined;
  /** When the token expires, in milliseconds since the epoch; undefined if the provider does not say. */
  readonly expiresAt?: number | undefined;
  /** When a renewal brought the token, in milliseconds since the epoch; undefined if it is the first of the sign-in. */
  readonly renewedAt?: number | undefined;
}

/** What the server takes for the person at the page. */
export interface Credential {
  /** An API key or an access token. */
  readonly token: string;
  /** Undefined if the token cannot be renewed. */
  readonly grant?: Grant | undefined;
}

interface StoredCredential extends Credential {
  /** Which sign-in it is of: its first token. */
  readonly signIn: string;
}

/** The credential of this tab, or undefined. It is forgotten when the tab is closed. */
export function storedCredential(): Credential | undefined {
  return stored();
}

/** The API key or token of this tab, or undefined. */
export function credential(): string | undefined {
  return stored()?.token;
}

/** Which sign-in the credential is of; undefined without a credential. It stays the same when the token is renewed. */
export function signInId(): string | undefined {
  return stored()?.signIn;
}

/** Keeps the credential of a new sign-in for this tab, so that a reload continues; undefined forgets it. */
export function setCredential(token: string | undefined, grant?: Grant): void {
  const before = stored();
  if (token === undefined) sessionStorage.removeItem(KEY);
  else store({ token, grant, signIn: token });
  for (const listener of signInListeners) listener(before);
}

/** Replaces the credential by one of the same sign-in. Nothing happens if nobody is signed in. */
export function renewCredential(credential: Credential): void {
  const signIn = signInId();
  if (signIn === undefined) return;
  store({ ...credential, signIn });
  for (const listener of renewalListeners) listener();
}

/** `signInId`; the component is rendered again when it changes. */
export function useSignIn(): string | undefined {
  return useSyncExternalStore((listener) => subscribe(signInListeners, listener), signInId);
}

/**
 * Calls the listener with the credential that was replaced or forgotten, if there was one, when somebody has signed in or
 * out. Returns a function that unsubscribes it.
 */
export function onSignIn(listener: (before: Credential | undefined) => void): () => void {
  return subscribe(signInListeners, listener);
}

/** Calls the listener when the token was renewed. Returns a function that unsubscribes it. */
export function onRenewal(listener: () => void): () => void {
  return subscribe(renewalListeners, listener);
}

function stored(): StoredCredential | undefined {
  const text = sessionStorage.getItem(KEY);
  return text === null ? undefined : (JSON.parse(text) as StoredCredential);
}

function store(credential: StoredCredential): void {
  sessionStorage.setItem(KEY, JSON.stringify(credential));
}

function subscribe<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
