import { isPlainObject } from '../../../common/index.js';
import type { ModelEvent } from '../../ports/model-client.js';
import { type ErrorBody, readErrorBody } from './error-body.js';

/** The codes of Node.js and undici for a server that cannot be connected to, and for a connection that broke off. */
const UNREACHABLE: ReadonlySet<unknown> = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT'],
]);
const BROKEN: ReadonlySet<unknown> = new Set(['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'UND_ERR_SOCKET']);

/** The longest part of an upstream's answer that an error message for the log quotes, in characters. */
const QUOTED = 1000;

/** The model server answered with an error status. The message is for the log: it quotes the upstream. */
export class UpstreamStatusError extends Error {
  private read: ErrorBody | undefined;

  constructor(
    readonly status: number,
    /** Names in lower case. */
    readonly headers: Readonly<Record<string, string | string[] | undefined>>,
    readonly body: string,
    options?: ErrorOptions,
  ) {
    super(`The model server answered with status ${status}: ${messageIn(body).slice(0, QUOTED)}`, options);
    this.name = 'UpstreamStatusError';
  }

  /** What the body says; never shown to a client. */
  get details(): ErrorBody {
    return (this.read ??= readErrorBody(this.body));
  }
}

/** The model server sent an error inside its stream, or something that is not a whole chat completion. */
export class UpstreamStreamError extends Error {
  private read: ErrorBody | undefined;

  /**
   * @param cause the error as the server sent it, or why its data could not be read
   * @param sentence what happened, for clients; absent if the server has reported an error
   * @param mayPass true if one more attempt may succeed, as long as there was no text
   */
  constructor(
    override readonly cause: unknown,
    readonly sentence?: string,
    readonly mayPass = false,
  ) {
    super(sentence ?? 'The model server sent an error in its stream');
    this.name = 'UpstreamStreamError';
  }

  /** The HTTP status that the server's error names or implies. */
  get status(): number | undefined {
    return this.cause instanceof Error ? undefined : statusIn(this.details);
  }

  /** What the error says; never shown to a client. */
  get details(): ErrorBody {
    return (this.read ??= readErrorBody(this.cause));
  }
}

/** The answer has neither text, nor thoughts, nor calls. */
export class EmptyAnswerError extends UpstreamStreamError {
  /** @param finish the end of an answer that is complete nevertheless: it stands if another attempt is empty too */
  constructor(readonly finish?: Extract<ModelEvent, { type: 'finish' }>) {
    super(new Error('The answer is empty'), 'The model sent an empty answer', true);
  }
}

/** The statuses that the codes of Zhipu and MiniMax stand for. Filters are recognized by their codes. */
const ZHIPU: Readonly<Record<string, number>> = {
  ...{ 1000: 401, 1001: 401, 1002: 401, 1003: 401, 1004: 401, 1110: 401, 1111: 401, 1112: 401, 1113: 402, 1211: 404 },
  ...{ 1210: 400, 1212: 400, 1213: 400, 1214: 400, 1215: 400, 1261: 413, 1234: 500, 1302: 429, 1303: 429, 1304: 402 },
  ...{ 1305: 429, 1308: 402, 1309: 402, 1310: 402, 1312: 503 },
};
const MINIMAX: Readonly<Record<string, number>> = {
  ...{ 1000: 500, 1001: 504, 1002: 429, 1004: 401, 1008: 402, 1013: 500, 1024: 500, 1033: 500, 1039: 429, 1041: 429 },
  ...{ 2013: 400, 2045: 429, 2049: 401, 2056: 402 },
};

/** The status that an error without one of its own means: by its numbers, its words for programs, its sentence. */
function statusIn({ codes, text, miniMaxCode }: ErrorBody): number | undefined {
  const number = codes.map(Number).find((code) => Number.isInteger(code) && code >= 400 && code < 600);
  if (number !== undefined) return number;
  if (miniMaxCode !== undefined && MINIMAX[miniMaxCode] !== undefined) return MINIMAX[miniMaxCode];
  const known = codes.map((code) => ZHIPU[code]).find((status) => status !== undefined);
  return known ?? statusOfWord(codes.join(' ')) ?? statusOfText(text);
}

/** The HTTP status of a failed model call, from its status line or from the error in its stream. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof UpstreamStreamError || error instanceof UpstreamStatusError ? error.status : undefined;
}

/** What the model server said about a failed call; undefined for other failures. */
export function detailsOf(error: unknown): ErrorBody | undefined {
  return error instanceof UpstreamStreamError || error instanceof UpstreamStatusError ? error.details : undefined;
}

/** An error and its causes, outermost first. */
export function errorChain(error: unknown): readonly {
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly message?: unknown;
}[] {
  const chain: object[] = [];
  let current = error;
  while (typeof current === 'object' && current !== null && chain.length < 10) {
    chain.push(current);
    current = (current as { cause?: unknown }).cause;
  }
  return chain;
}

/** True if the model server could not be connected to. */
export function isUnreachable(error: unknown): boolean {
  return errorChain(error).some(({ code }) => UNREACHABLE.has(code));
}

/** True if a connection that was open broke off. */
export function isBrokenOff(error: unknown): boolean {
  return errorChain(error).some(({ code }) => BROKEN.has(code));
}

/** True when the connection failed, and not the model server. */
export function isNetworkError(error: unknown): boolean {
  return isUnreachable(error) || isBrokenOff(error);
}

/** The message in an error body, for the log; the body itself if it is in no known form. */
export function messageIn(body: string): string {
  try {
    return messageOf(JSON.parse(body)) ?? body;
  } catch {
    return body;
  }
}

/** The first text in the members under which servers report errors, at any depth. */
function messageOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return messageOf(value[0]);
  if (!isPlainObject(value)) return undefined;
  const keys = ['error', 'message', 'msg', 'detail', 'errors', 'error_msg', 'base_resp', 'status_msg', 'title'];
  for (const key of keys) {
    const message = messageOf(value[key]);
    if (message !== undefined) return message;
  }
  return undefined;
}

/** For servers that report an error in the stream by the word of a code, a type or a status. */
function statusOfWord(word: string): number | undefined {
  if (/authentication/i.test(word)) return 401;
  return /permission/i.test(word) ? 403 : statusOfText(word);
}

/** For servers that report it by a sentence only, in which single words say little. */
function statusOfText(text: string): number | undefined {
  if (/context[_ ]length|context[_ ]window|prompt is too long/i.test(text)) return 400;
  if (/invalid[_ ]?api[_ ]?key/i.test(text)) return 401;
  // LM Studio answers so with status 200 where it serves nothing.
  if (/model[_ ]?not[_ ]?found|unexpected endpoint or method/i.test(text)) return 404;
  if (/rate[_ ]?limit|limit_exceeded|quota|throttl|resource[_ ](has been )?exhausted|too many requests/i.test(text))
    return 429;
  if (/overloaded|server_error|internal_error|internalerror|unavailable/i.test(text)) return 500;
  return undefined;
}
