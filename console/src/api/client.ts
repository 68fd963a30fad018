import { ParleyClient, ParleyError } from '../../../src/client/index.js';
import { readSse, type SseBlock } from '../../../src/client/sse.js';
import { renewIfDue } from '../access/oidc/renewal.js';
import { noteAnswer, noteLoss } from '../lib/connection.js';
import { credential, signInId } from './credential.js';

/**
 * The user that a browser without a credential acts for: that of requests that name none, because not every wire can
 * name one. With authentication the credential decides, and nothing is named.
 */
export const UNNAMED_USER = 'anonymous';

export { ParleyError, readSse, type SseBlock };

/** A query of a route; undefined and empty values are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** The console is in a folder of the server. */
function serverUrl(): URL {
  return new URL('../', document.baseURI);
}

/** The address of a route of the server. @param path without a leading slash */
export function urlOf(path: string, query: Query = {}): URL {
  const url = new URL(path, serverUrl());
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') url.searchParams.set(name, String(value));
  }
  return url;
}

/**
 * The user that a request has to name; undefined if its credential says who it is.
 *
 * @param owner of what the request refers to
 */
export function actingUser(owner = UNNAMED_USER): string | undefined {
  return credential() === undefined ? owner : undefined;
}

/** The headers that identify the sender. @param user the user that the request acts for, if no credential names one */
export function identity(user?: string): Record<string, string> {
  const token = credential();
  if (token !== undefined) return { authorization: `Bearer ${token}` };
  return user === undefined ? {} : { 'x-user-id': encodeHeader(user) };
}

/** Headers have a byte in each character. */
function encodeHeader(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}

/** What a request may say besides its path. */
export interface Ask {
  readonly method?: string;
  readonly query?: Query;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** The user that something is created for, if no credential names one. */
  readonly user?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The type of the answer. Default: JSON, or whatever the route answers. */
  readonly accept?: string;
  /** Further headers, of a wire. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A request to the server, for what `parley` and `live` have no method for.
 *
 * @throws ParleyError unless the answer is a success; TypeError if there is no connection; ProviderError if the server has
 *   refused the token and the provider cannot renew it at this time
 */
export async function request(
  path: string,
  { method, query, body, user, signal, accept, headers }: Ask = {},
): Promise<Response> {
  const isForm = body instanceof FormData;
  const response = await fetchAsCaller(urlOf(path, query), {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...headers,
      ...(accept !== undefined && { accept }),
      ...(user !== undefined && { 'x-user-id': encodeHeader(user) }),
      ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  if (!response.ok) throw await ParleyError.of(response);
  return response;
}

/** What a proxy answers when the server behind it is away. */
const AWAY: ReadonlySet<number> = new Set([502, 504]);

/**
 * `fetch` with the credential of the person. A token that has expired is renewed first, and one that the server refuses is
 * renewed once.
 */
async function fetchAsCaller(address: Parameters<typeof fetch>[0], init: RequestInit = {}): Promise<Response> {
  await renewIfDue();
  const token = credential();
  const signIn = signInId();
  const response = await send(address, init);
  if (response.status !== 401) return response;
  await renewIfDue(token);
  // Somebody else may have signed in meanwhile; the request is not theirs.
  return credential() !== token && signInId() === signIn ? send(address, init) : response;
}

async function send(address: Parameters<typeof fetch>[0], init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  const token = credential();
  if (token !== undefined) {
    headers.set('authorization', `Bearer ${token}`);
    headers.delete('x-user-id');
  }
  try {
    const response = await fetch(address, { ...init, headers, cache: 'no-store' });
    if (AWAY.has(response.status)) noteLoss();
    else noteAnswer();
    return response;
  } catch (error) {
    if (error instanceof TypeError) noteLoss();
    throw error;
  }
}

let calling: ParleyClient | undefined;
let following: ParleyClient | undefined;

/** The server, for calls: one that fails is not repeated, because a page shows the error and repeats it by itself. */
export function parley(): ParleyClient {
  calling ??= new ParleyClient({ baseUrl: serverUrl().href, fetch: fetchAsCaller, outageMs: 0 });
  return calling;
}

/** The server, for streams: they continue as soon as the server answers again, however long that takes. */
export function live(): ParleyClient {
  following ??= new ParleyClient({ baseUrl: serverUrl().href, fetch: fetchAsCaller, outageMs: Infinity });
  return following;
}

/** The JSON answer to a request. @throws ParleyError, TypeError as `request` */
export async function json<T>(path: string, ask: Ask = {}): Promise<T> {
  const response = await request(path, ask);
  const text = await response.text();
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

/** The frames of an event stream. @throws ParleyError, TypeError as `request`; what breaks the stream */
export async function* stream(path: string, ask: Ask = {}): AsyncGenerator<SseBlock, void, void> {
  const response = await request(path, ask);
  if (response.body) yield* readSse(response.body);
}

/**
 * Whether asking again may help: there was no connection, it broke, or the server is not able to answer now. Clients of
 * the wires have errors of their own, which name the status of the response where there was one.
 */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error) || error.name === 'AbortError') return false;
  const status = 'status' in error ? error.status : undefined;
  if (typeof status === 'number') return status === 429 || status >= 500;
  return error instanceof TypeError || error instanceof BrokenStream;
}

/** The server has ended a stream before the run ended. */
export class BrokenStream extends Error {
  override readonly name = 'BrokenStream';
}
