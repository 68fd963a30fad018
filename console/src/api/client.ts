import { noteAnswer, noteLoss } from '../lib/connection.js';
import { isObject } from '../lib/format.js';
import { readSse, type SseFrame } from '../lib/sse.js';
import { renewIfDue } from '../access/oidc/renewal.js';
import { credential, signInId } from './credential.js';

/**
 * In whose name a browser without a credential acts: the user of requests that name none, because not every wire can
 * name one. With authentication the credential decides, and nothing is named.
 */
export const UNNAMED_USER = 'anonymous';

/** What the server answered instead of what was asked for. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** A query of a route; undefined and empty values are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** The address of a route of the server, which the console is in a folder of. @param path without a leading slash */
export function urlOf(path: string, query: Query = {}): URL {
  const url = new URL(path, new URL('../', document.baseURI));
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

/** The headers that say who asks. @param user in whose name, where no credential says so */
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
  /** In whose name something is created, where no credential says so. */
  readonly user?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A request to the server. A token that has expired is renewed first, and one that the server refuses is renewed once.
 *
 * @throws ApiError unless the answer is a success; TypeError if there is no connection; ProviderError if the server has
 *   refused the token and the provider cannot renew it at this time
 */
export async function request(path: string, ask: Ask = {}): Promise<Response> {
  await renewIfDue();
  const token = credential();
  const signIn = signInId();
  let response = await send(path, ask);
  if (response.status === 401) {
    await renewIfDue(token);
    // Somebody else may have signed in meanwhile, whose request it is not.
    if (credential() !== token && signInId() === signIn) response = await send(path, ask);
  }
  if (!response.ok) throw await errorOf(response);
  return response;
}

/** What a proxy answers when the server behind it is away. */
const AWAY: ReadonlySet<number> = new Set([502, 504]);

async function send(path: string, ask: Ask): Promise<Response> {
  try {
    const response = await fetchAnswer(path, ask);
    if (AWAY.has(response.status)) noteLoss();
    else noteAnswer();
    return response;
  } catch (error) {
    if (error instanceof TypeError) noteLoss();
    throw error;
  }
}

function fetchAnswer(path: string, { method, query, body, user, signal }: Ask): Promise<Response> {
  const isForm = body instanceof FormData;
  return fetch(urlOf(path, query), {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...identity(user),
      ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    cache: 'no-store',
    ...(signal && { signal }),
  });
}

/** The JSON answer to a request. @throws ApiError, TypeError as `request` */
export async function json<T>(path: string, ask: Ask = {}): Promise<T> {
  const response = await request(path, ask);
  const text = await response.text();
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

/** The frames of an event stream. @throws ApiError, TypeError as `request`; what breaks the stream */
export async function* stream(path: string, ask: Ask = {}): AsyncGenerator<SseFrame, void, void> {
  const response = await request(path, ask);
  if (response.body) yield* readSse(response.body);
}

/** The error in a response, in the words of whichever wire answered. */
export async function errorOf(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => undefined);
  const outer = isObject(body) ? body : {};
  const inner = isObject(outer['error']) ? outer['error'] : outer;
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  return new ApiError(
    response.status,
    text(inner['code']) ?? String(response.status),
    text(inner['message']) ?? `The server answered with status ${response.status}`,
  );
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
