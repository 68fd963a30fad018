import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { AnonymousCaller, AuthenticatedCaller, type Caller, type CredentialWatch } from '../../src/access/index.js';
import type { AbortLike } from '../../src/common/index.js';
import type { ActiveStreams } from '../../src/protocol/http/index.js';
import { BACK_END } from './identities.js';

/** Whether every request of a test is that of an authenticated back end: `TEST_CALLER=key` (CONTRIBUTING.md). */
export const HAS_KEY = process.env.TEST_CALLER === 'key';

/** Whoever sends a request without headers to a server without authentication. */
export const CALLER = new AnonymousCaller(new IncomingMessage(new Socket()));

/** Whoever sends the requests of a test to a server that is started without `AUTH`. */
export const SENDER: Caller = HAS_KEY
  ? new AuthenticatedCaller(BACK_END, new IncomingMessage(new Socket()), 'refuse')
  : CALLER;

/** The user of such requests that name none, on the wires where a thread has no user of its own. */
export const OWN_USER = SENDER.principal;

/** For tests of what exists without authentication only, such as threads without a user. */
export const itWithoutAuthentication = HAS_KEY ? it.skip : it;

/** Watches no credentials. */
export const NO_WATCH = {
  watch: () => () => undefined,
  during: <T>(_caller: unknown, gone: AbortLike, work: (over: AbortLike) => Promise<T>) => work(gone),
} as unknown as CredentialWatch;

/** A process that is never drained. */
export const NEVER_DRAINED = { track: () => () => undefined } as unknown as ActiveStreams;
