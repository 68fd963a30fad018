import { ProxyError } from '../../../common/index.js';
import type { ModelEvent } from '../../ports/model-client.js';
import { DRAIN_MS } from '../upstream/drain.js';
import type { ModelCall } from '../upstream/retried-batches.js';
import { UpstreamStatusError, UpstreamStreamError } from '../upstream/upstream-error.js';
import { type CallTimeouts, Watchdog } from '../upstream/watchdog.js';
import { publicHeaders, withoutSecrets } from '../upstream/public-headers.js';
import type { AnswerBody } from './answer-body.js';
import { CompletionDecoder, type DecoderSetting } from './completion-decoder.js';
import { SseSplitter } from './sse-splitter.js';
import type { UpstreamHttp } from './upstream-http.js';

/** The request of a call. */
export interface CompletionRequest extends CallTimeouts {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text, encoded once for all attempts. */
  readonly body: string;
  /** How its answer is read. */
  readonly reading?: DecoderSetting;
}

/** The most events that one `next` decodes: the rest of a large read is decoded by later calls. */
const EVENTS_PER_BATCH = 64;
/** Bytes that are decoded together, about as many as those events have: as text they take memory until they are used. */
const BYTES_PER_READ = 16 * 1024;
/** The most bytes that are read of an error answer, and of a JSON answer. */
const ERROR_BODY_LIMIT = 64 * 1024;
const JSON_BODY_LIMIT = 32 * 1024 * 1024;
/** How long the end of an error answer may take after its head: then what has arrived is reported. In milliseconds. */
const ERROR_BODY_MS = 2000;
const MAX_REDIRECTS = 5;
/** Sent by proxies only. */
const PROXY_AUTHENTICATION = 407;

/** The failure of a call that was closed. Made once: an error costs as much as the rest of `close`. */
const CLOSED = new Error('The model call was ended');

const BRACE = '{'.charCodeAt(0);
const BRACKET = '['.charCodeAt(0);
const SPACE = 32;
const BYTE_ORDER_MARK: readonly number[] = [0xef, 0xbb, 0xbf];

/**
 * One HTTP request to a model server and its answer. The answer is an event stream; a JSON body, of a
 * server that does not stream, is recognised by its first character. Redirects with status 307 and 308 are
 * followed, without the key when they lead to another origin.
 */
export class CompletionCall implements ModelCall {
  private readonly decoder: CompletionDecoder;
  private readonly splitter = new SseSplitter();
  private readonly watchdog: Watchdog;
  /** The address of the answer: that of the request, or of the last redirect. */
  private url: URL;
  private answer: AnswerBody;
  private redirects = 0;
  /** The body of an answer that is no event stream. */
  private whole: Buffer[] | undefined;
  private wholeBytes = 0;
  private hasBytes = false;
  private hasReadTail = false;
  private isOver = false;
  private isExpired = false;
  /** Runs while the end of an error answer is awaited. */
  private errorBodyTimer: NodeJS.Timeout | undefined;
  private isErrorBodyLate = false;
  private failure: Error | undefined;
  private wake: (() => void) | undefined;

  /** @throws StartupError for a proxy of the environment that cannot be used */
  constructor(
    private readonly http: UpstreamHttp,
    private readonly request: CompletionRequest,
    private readonly signal: AbortSignal,
  ) {
    this.url = request.url;
    this.decoder = new CompletionDecoder(request.reading);
    this.answer = this.post(this.url, request.headers);
    // Both end the request: there must be one.
    this.watchdog = new Watchdog(request, (error) => this.expire(error));
    signal.addEventListener('abort', this.onAbort);
  }

  get model(): string | undefined {
    return this.decoder.model;
  }

  /** The next events; undefined at the end. @throws if the answer fails, stalls or is aborted */
  async next(): Promise<readonly ModelEvent[] | undefined> {
    this.watchdog.wait();
    for (;;) {
      this.signal.throwIfAborted();
      const batch = this.take();
      if (batch.length > 0) {
        this.watchdog.hold();
        return batch;
      }
      if (this.isOver) return undefined;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  /** Ends the call. A complete answer is read to its end, so that the connection can be used again. */
  close(): void {
    this.failure ??= CLOSED;
    this.watchdog.close();
    clearTimeout(this.errorBodyTimer);
    this.signal.removeEventListener('abort', this.onAbort);
    if (this.isOver && !this.answer.isEnded) this.drain();
    else this.answer.abort(CLOSED);
    this.wake?.();
  }

  private readonly onAbort = (): void => this.fail(new Error('The model call was aborted'));
  private readonly onArrival = (): void => this.wake?.();
  private readonly onLateErrorBody = (): void => {
    this.isErrorBodyLate = true;
    this.wake?.();
  };

  /** A time limit is over. An answer that has its finish reason is complete: only usage could have followed. */
  private expire(error: Error): void {
    this.isExpired = true;
    if (this.decoder.isFinished) this.wake?.();
    else this.fail(error);
  }

  private fail(error: Error): void {
    this.failure ??= error;
    this.answer.abort(error);
    this.wake?.();
  }

  /** The connection can serve further calls once the rest of the answer is read. */
  private drain(): void {
    const { answer } = this;
    const closeConnection = (): void => answer.abort(new Error('The answer did not end after its last event'));
    const timer = setTimeout(closeConnection, DRAIN_MS).unref();
    this.wake = () => {
      answer.read();
      if (answer.isEnded) clearTimeout(timer);
    };
  }

  private post(url: URL, headers: Readonly<Record<string, string>>): AnswerBody {
    return this.http.post(url, headers, this.request.body, this.onArrival);
  }

  /** The events of what has arrived. A failure is thrown after the events before it were taken. */
  private take(): readonly ModelEvent[] {
    const events: ModelEvent[] = [];
    if (this.isOver) return events;
    try {
      if (this.failure) throw this.failure;
      if (this.isExpired) {
        this.finish(events);
        return events;
      }
      const { status } = this.answer;
      if (status >= 200 && status < 300) this.readAnswer(events);
      else if (status !== 0) this.readErrorAnswer(status);
      else if (this.answer.isEnded) throw this.answer.error ?? new Error('The connection ended before the answer');
    } catch (error) {
      this.failure = error instanceof Error ? error : new Error(String(error));
      if (events.length === 0) throw error;
    }
    return events;
  }

  private readAnswer(events: ModelEvent[]): void {
    const { chunks } = this.decoder;
    while (events.length < EVENTS_PER_BATCH && !this.isOver) {
      if (this.decoder.decodeAlike(this.splitter, EVENTS_PER_BATCH - events.length, events)) continue;
      const data = this.splitter.next();
      if (data?.trim() === '[DONE]') this.finish(events, true);
      else if (data !== undefined) {
        if (data !== '') this.decoder.decode(data, this.splitter.eventName, events);
      } else if (!this.readBytes(events)) break;
    }
    if (this.decoder.chunks > chunks) this.watchdog.progress();
  }

  /** Hands on the bytes that have arrived. False when there are none. */
  private readBytes(events: ModelEvent[]): boolean {
    const bytes = this.answer.read(BYTES_PER_READ);
    if (bytes.length > 0) {
      this.watchdog.alive();
      const chunk = bytes.length === 1 && bytes[0] ? bytes[0] : Buffer.concat(bytes);
      if (!this.hasBytes) this.pushFirst(chunk);
      else if (this.whole) this.keep(chunk, JSON_BODY_LIMIT);
      else this.splitter.push(chunk);
      return true;
    }
    if (!this.answer.isEnded) return false;
    this.readEnd(events);
    return !this.isOver;
  }

  /** An event stream never begins with a brace or a bracket. Before either there may be a byte order mark, or a part of it. */
  private pushFirst(chunk: Buffer): void {
    const at = chunk.findIndex((byte) => byte > SPACE && !BYTE_ORDER_MARK.includes(byte));
    this.hasBytes = at >= 0;
    if (chunk[at] === BRACE || chunk[at] === BRACKET) {
      this.whole = [];
      this.keep(chunk.subarray(at), JSON_BODY_LIMIT);
    } else this.splitter.push(chunk);
  }

  /** The body has ended, at its end or where the connection broke. */
  private readEnd(events: ModelEvent[]): void {
    const { error } = this.answer;
    if (error && !this.decoder.isFinished) throw error;
    if (this.whole) this.decoder.decodeWhole(this.wholeText(), events);
    else if (!error && !this.hasReadTail) {
      this.hasReadTail = true;
      this.splitter.end();
      return;
    }
    this.finish(events);
  }

  /** Ends the answer, whether or not bytes follow. @param isMarked see `CompletionDecoder.end` */
  private finish(events: ModelEvent[], isMarked = false): void {
    this.decoder.end(events, isMarked);
    this.isOver = true;
  }

  private readErrorAnswer(status: number): void {
    if (status === PROXY_AUTHENTICATION) throw new ProxyError(status, this.answer.headers);
    if (status === 307 || status === 308) {
      const target = this.redirectTarget();
      if (target) {
        this.redirect(target);
        return;
      }
    }
    this.whole ??= [];
    for (const bytes of this.answer.read()) this.keep(bytes, ERROR_BODY_LIMIT, true);
    if (!this.answer.isEnded && this.wholeBytes < ERROR_BODY_LIMIT && !this.isErrorBodyLate) {
      this.errorBodyTimer ??= setTimeout(this.onLateErrorBody, ERROR_BODY_MS);
      return;
    }
    const body = withoutSecrets(this.wholeText(), this.request.headers);
    throw new UpstreamStatusError(status, this.answer.headers, body);
  }

  /** Undefined if the answer cannot be followed: no valid target, another scheme, or too many redirects. */
  private redirectTarget(): URL | undefined {
    const { location } = this.answer.headers;
    if (typeof location !== 'string' || this.redirects >= MAX_REDIRECTS) return undefined;
    if (!URL.canParse(location, this.url.href)) return undefined;
    const target = new URL(location, this.url.href);
    return target.protocol === 'http:' || target.protocol === 'https:' ? target : undefined;
  }

  /** The key and the headers of the settings are not sent to another origin. */
  private redirect(target: URL): void {
    this.redirects += 1;
    this.url = target;
    this.answer.abort(new Error('The answer is a redirect'));
    const { headers, url } = this.request;
    this.answer = this.post(target, target.origin === url.origin ? headers : publicHeaders(headers));
  }

  /**
   * Keeps bytes of an answer that is read as a whole.
   *
   * @throws UpstreamStreamError above the limit, unless it may be cut
   */
  private keep(bytes: Buffer, limit: number, mayCut = false): void {
    if (!mayCut && this.wholeBytes + bytes.length > limit) {
      throw new UpstreamStreamError(new Error('The answer is too long'), 'The answer of the model server is too long');
    }
    this.wholeBytes += bytes.length;
    this.whole?.push(bytes);
  }

  private wholeText(): string {
    const text = Buffer.concat(this.whole ?? []).toString('utf8');
    this.whole = [];
    return text;
  }
}
