import { AppError, type ErrorCode, isPlainObject, ProxyError } from '../../../common/index.js';
import { retryAfterMs } from '../upstream/retry-policy.js';
import { isBrokenOff, isUnreachable, UpstreamStatusError } from '../upstream/upstream-error.js';
import { withoutSecrets } from './remote-secrets.js';

/** The most characters of an upstream's words in an error. */
const QUOTED = 500;

/** What went wrong with a connection to a remote agent. */
export type FailureKind =
  /** No connection was made: nothing can have begun. */
  | 'unreachable'
  /** An answer with an error status. */
  | 'status'
  /** The connection broke, or ended without a terminal event. */
  | 'cut'
  /** Nothing came for too long. */
  | 'silent'
  /** What came cannot be understood, or is too much. */
  | 'protocol';

/** The failure of one connection to a remote agent. Its error is what a client may see. */
export class RemoteFailure extends Error {
  constructor(
    readonly kind: FailureKind,
    readonly error: AppError,
    /** Of an answer with an error status. */
    readonly answer?: UpstreamStatusError,
  ) {
    super(error.message, error.cause === undefined ? undefined : { cause: error.cause });
    this.name = 'RemoteFailure';
  }

  /** True while it is certain that the upstream has not begun (contract gateway, section B4). */
  get isBeforeBegin(): boolean {
    return this.kind === 'unreachable' || this.error.code === 'UPSTREAM_BUSY' || this.answer?.status === 503;
  }

  /** True if the same request may have an answer later. */
  get isPassing(): boolean {
    const { status = 0 } = this.answer ?? {};
    return ['unreachable', 'cut', 'silent'].includes(this.kind) || status === 429 || status >= 500;
  }

  /** How long the upstream asks to wait, in milliseconds. */
  get retryAfterMs(): number | undefined {
    return this.answer && retryAfterMs(this.answer);
  }
}

/** Whether a stream has come to its end, or to silence. @param failure undefined: it was closed */
export function isStreamEnd(failure: unknown): boolean {
  return failure === undefined || (failure instanceof RemoteFailure && failure.kind === 'silent');
}

/** An answer that breaks the protocol, or a limit. */
export function protocolFailure(sentence: string, cause?: unknown): RemoteFailure {
  return new RemoteFailure('protocol', failure('UPSTREAM_PROTOCOL_ERROR', sentence, cause));
}

/** A connection that ended before the terminal event. */
export function cutFailure(cause: unknown): RemoteFailure {
  return new RemoteFailure('cut', failure('UPSTREAM_LOST', 'The connection to the remote agent broke off', cause));
}

/** A time-out. @param what was awaited, as the end of the sentence "The remote agent …" */
export function silentFailure(what: string): RemoteFailure {
  return new RemoteFailure('silent', failure('UPSTREAM_TIMEOUT', `The remote agent ${what}`));
}

/** The failure of a connection that has no answer. @param wasSent the request may have arrived */
export function connectionFailure(cause: unknown, wasSent: boolean): RemoteFailure {
  if (!wasSent) {
    const isTls = cause instanceof ProxyError || isUnreachable(cause) || isBrokenOff(cause) ? '' : ' securely';
    return new RemoteFailure(
      'unreachable',
      failure('UPSTREAM_UNAVAILABLE', `The remote agent could not be connected to${isTls}`, cause),
    );
  }
  return new RemoteFailure('cut', failure('UPSTREAM_UNAVAILABLE', 'The remote agent closed the connection', cause));
}

/** An error status (contract gateway, section B6). @param secrets are masked */
export function statusFailure(answer: UpstreamStatusError, secrets: readonly string[]): RemoteFailure {
  const { status, body } = answer;
  const said = oneLine(saidIn(body), secrets);
  const detail = said === '' ? '' : `: ${said}`;
  const made = (code: ErrorCode, sentence: string): RemoteFailure =>
    new RemoteFailure('status', failure(code, sentence, answer), answer);
  if (status === 401 || status === 403) {
    return made('UPSTREAM_UNAUTHORIZED', 'The remote agent refused the credentials of this server');
  }
  if (status === 429) return made('UPSTREAM_BUSY', 'The remote agent takes no more requests for the moment');
  if (status === 508)
    return made('UPSTREAM_FAILED', 'The remote agent is behind itself: agents call each other in a loop');
  if (status >= 500) return made('UPSTREAM_UNAVAILABLE', `The remote agent answered with status ${status}`);
  if (status >= 300 && status < 400) {
    return made(
      'UPSTREAM_FAILED',
      `The remote agent answered with a redirect (status ${status}), which is not followed`,
    );
  }
  return made('UPSTREAM_FAILED', `The remote agent refused the request with status ${status}${detail}`);
}

/** The failure that an upstream reports itself. @param code of the upstream, for programs */
export function reportedFailure(message: string, code: string | undefined, secrets: readonly string[]): AppError {
  const line = oneLine(message, secrets);
  const details = code === undefined ? [] : [{ path: 'upstream', message: oneLine(code, secrets), rule: 'code' }];
  return new AppError('UPSTREAM_FAILED', line === '' ? 'The remote agent failed' : line, { details });
}

/** One line of at most 500 characters, without secrets. */
export function oneLine(text: string, secrets: readonly string[]): string {
  return withoutSecrets(text.slice(0, 8192), secrets)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, QUOTED)
    .toWellFormed();
}

/** What an error body says, without anything else of it. */
function saidIn(body: string): string {
  try {
    const value: unknown = JSON.parse(body);
    const inner = isPlainObject(value) && isPlainObject(value['error']) ? value['error'] : value;
    const said = isPlainObject(inner) ? (inner['message'] ?? inner['detail'] ?? inner['error'] ?? inner['title']) : '';
    return typeof said === 'string' ? said : firstProblem(said);
  } catch {
    return '';
  }
}

/** The first of the problems that a server has found in a request, and where. */
function firstProblem(problems: unknown): string {
  const first: unknown = Array.isArray(problems) ? problems[0] : undefined;
  if (!isPlainObject(first) || typeof first['msg'] !== 'string') return '';
  const place = Array.isArray(first['loc']) ? first['loc'].map(String).join('.') : '';
  return place === '' ? first['msg'] : `${place}: ${first['msg']}`;
}

function failure(code: ErrorCode, sentence: string, cause?: unknown): AppError {
  return new AppError(code, sentence, cause === undefined ? {} : { cause });
}
