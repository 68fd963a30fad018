import { nextTurn } from '../../../common/index.js';
import { SseSplitter } from '../chat-completions/sse-splitter.js';
import { UpstreamStatusError } from '../upstream/upstream-error.js';
import { foreignJson } from './json-fields.js';
import {
  connectionFailure,
  cutFailure,
  protocolFailure,
  RemoteFailure,
  silentFailure,
  statusFailure,
} from './remote-failure.js';
import type { RemoteBody, RemoteHttp, RemoteRequest } from './remote-http.js';

/** The bounds of a connection (contract gateway, section A). */
export interface ConnectionLimits {
  readonly firstEventMs: number;
  readonly idleMs: number;
  readonly maxEventBytes: number;
  readonly secrets: readonly string[];
}

/** What a connection belongs to. */
export interface ConnectionSetting {
  readonly budget: ReadBudget;
  readonly signal: AbortSignal;
  /** True: an answer in JSON is one event. */
  readonly takesJson?: boolean | undefined;
}

/** What one run may still read, over all its connections. */
export class ReadBudget {
  /** @param bytes and @param events that may be read */
  constructor(
    private bytes: number,
    private events: number,
  ) {}

  /** @throws RemoteFailure above the limit */
  takeBytes(count: number): void {
    this.bytes -= count;
    if (this.bytes < 0) throw protocolFailure('The remote agent sent more than a run may have');
  }

  /** @throws RemoteFailure above the limit */
  takeEvent(): void {
    this.events -= 1;
    if (this.events < 0) throw protocolFailure('The remote agent sent more events than a run may have');
  }
}

/** An event of a stream. */
export interface SseEvent {
  /** The `event` field; empty without one. */
  readonly name: string;
  readonly data: string;
}

const STREAM: readonly string[] = ['text/event-stream'];
const JSON_TYPE: readonly string[] = ['application/json', 'application/a2a+json'];
const JSON_OR_STREAM: readonly string[] = [...STREAM, ...JSON_TYPE];
/** What some streams end with in place of JSON. */
const DONE = '[DONE]';
/** The most bytes that are read of an error. */
const ERROR_BODY_LIMIT = 8192;
/**
 * The most events that a connection hands on in one turn of the event loop, so that other runs get their turns. Readers get
 * what is committed from memory then: of more at once they would have to read the beginning from the log.
 */
const EVENTS_PER_TURN = 64;
const BYTES_PER_READ = 16 * 1024;

/** One request to a remote agent, and the event stream or JSON that answers it. */
export class RemoteConnection {
  private readonly body: RemoteBody;
  private readonly splitter: SseSplitter;
  private timer: NodeJS.Timeout | undefined;
  private failure: unknown;
  private wake: (() => void) | undefined;
  /** When something last came, or when the reader began to wait, by `performance.now()`. */
  private since = performance.now();
  private isHeld = false;
  private hasEvents = false;
  private hasReadTail = false;
  private hasBytes = false;
  /** True once the head of the answer was checked. */
  private isOpen = false;
  /** True if the answer is one JSON text. */
  private isJson = false;
  /** How many events were handed on in this turn of the event loop. */
  private taken = 0;

  constructor(
    http: RemoteHttp,
    request: RemoteRequest,
    private readonly limits: ConnectionLimits,
    private readonly setting: ConnectionSetting,
  ) {
    this.splitter = new SseSplitter(limits.maxEventBytes);
    setting.signal.addEventListener('abort', this.onAbort);
    this.body = http.send(request, () => this.wake?.());
    this.arm(limits.firstEventMs);
    if (setting.signal.aborted) this.onAbort();
  }

  /** True if the upstream may have begun. */
  get wasSent(): boolean {
    return this.body.wasSent;
  }

  /** True once an event has come. */
  get hasBegun(): boolean {
    return this.hasEvents;
  }

  /** A header of the answer; undefined if it has none. @param name in lower case */
  header(name: string): string | undefined {
    const value = this.body.headers[name];
    return typeof value === 'string' ? value : undefined;
  }

  /** The next events that have come together; undefined at the end of the stream. @throws RemoteFailure, the signal's reason */
  async next(): Promise<readonly SseEvent[] | undefined> {
    if (this.isHeld) this.since = performance.now();
    this.isHeld = false;
    if (this.taken >= EVENTS_PER_TURN) await this.turn();
    for (;;) {
      this.check();
      if (!this.isOpen) await this.head(this.setting.takesJson ? JSON_OR_STREAM : STREAM);
      const events = this.isJson ? await this.whole() : this.take();
      if (events.length > 0) {
        if (!this.hasEvents) this.began();
        this.isHeld = true;
        return events;
      }
      if (this.hasReadTail) return undefined;
      await this.arrival();
    }
  }

  /** Resolves when the stream is open. @throws RemoteFailure, the signal's reason */
  async opened(): Promise<void> {
    this.check();
    await this.head(STREAM);
  }

  /** The whole answer as JSON. @throws RemoteFailure, the signal's reason */
  async json(): Promise<unknown> {
    return foreignJson(await this.text(), 'An answer of the remote agent');
  }

  private async turn(): Promise<void> {
    await nextTurn();
    this.taken = 0;
  }

  /** An answer in JSON as one event; nothing the second time. */
  private async whole(): Promise<SseEvent[]> {
    if (this.hasReadTail) return [];
    const data = await this.text();
    this.hasReadTail = true;
    this.setting.budget.takeEvent();
    return [{ name: '', data }];
  }

  private async text(): Promise<string> {
    const pieces: Buffer[] = [];
    let length = 0;
    for (;;) {
      this.check();
      await this.head(this.setting.takesJson ? JSON_OR_STREAM : JSON_TYPE);
      for (const piece of this.read(Number.POSITIVE_INFINITY)) {
        pieces.push(piece);
        length += piece.length;
        if (length > this.limits.maxEventBytes) throw protocolFailure('An answer of the remote agent is too long');
      }
      if (this.body.isEnded) break;
      await this.arrival();
    }
    if (this.body.error) throw cutFailure(this.body.error);
    return Buffer.concat(pieces).toString('utf8');
  }

  /** Ends the request. */
  close(): void {
    clearTimeout(this.timer);
    this.setting.signal.removeEventListener('abort', this.onAbort);
    this.body.abort(CLOSED);
    this.wake?.();
  }

  private readonly onAbort = (): void => {
    this.body.abort(CLOSED);
    this.wake?.();
  };

  /** @throws the signal's reason; the failure of a time limit */
  private check(): void {
    this.setting.signal.throwIfAborted();
    if (this.failure) throw this.failure as Error;
  }

  private arrival(): Promise<void> {
    return new Promise<void>((resolve) => (this.wake = resolve));
  }

  /** Waits for the head of the answer and checks it. */
  private async head(types: readonly string[]): Promise<void> {
    const { body } = this;
    while (body.status === 0) {
      if (body.isEnded) throw connectionFailure(body.error ?? new Error('The connection ended'), body.wasSent);
      await this.arrival();
      this.check();
    }
    if (body.status < 200 || body.status >= 300) throw await this.refusal();
    const encoding = String(body.headers['content-encoding'] ?? 'identity');
    if (encoding !== 'identity')
      throw protocolFailure('The remote agent compresses its answer, which was not asked for');
    const given = mediaType(body.headers['content-type']);
    if (!types.includes(given))
      throw protocolFailure(`The remote agent answered with ${given || 'no content type'}, not ${types.join(' or ')}`);
    this.isOpen = true;
    this.isJson = this.setting.takesJson === true && JSON_TYPE.includes(given);
  }

  private async refusal(): Promise<RemoteFailure> {
    const pieces: Buffer[] = [];
    let length = 0;
    const deadline = performance.now() + ERROR_BODY_MS;
    while (length < ERROR_BODY_LIMIT && !this.failure && !this.setting.signal.aborted) {
      for (const piece of this.body.read()) {
        pieces.push(piece);
        length += piece.length;
      }
      const left = deadline - performance.now();
      if (this.body.isEnded || left <= 0) break;
      const timer = setTimeout(() => this.wake?.(), left);
      await this.arrival();
      clearTimeout(timer);
    }
    this.setting.signal.throwIfAborted();
    const text = Buffer.concat(pieces).subarray(0, ERROR_BODY_LIMIT).toString('utf8');
    return statusFailure(new UpstreamStatusError(this.body.status, this.body.headers, text), this.limits.secrets);
  }

  /** The events of what has arrived, as many as this turn may have. */
  private take(): SseEvent[] {
    const events: SseEvent[] = [];
    while (this.taken < EVENTS_PER_TURN) {
      const data = this.nextData();
      if (data !== undefined) {
        if (data === '') continue;
        if (data.length > this.limits.maxEventBytes) throw tooLong();
        if (this.hasReadTail && !isWhole(data)) continue;
        this.setting.budget.takeEvent();
        events.push({ name: this.splitter.eventName, data });
        this.taken += 1;
      } else if (!this.feed()) break;
    }
    return events;
  }

  private nextData(): string | undefined {
    try {
      return this.splitter.next();
    } catch (error) {
      throw tooLong(error);
    }
  }

  /** Hands on the bytes that have arrived. False if there are none. */
  private feed(): boolean {
    const pieces = this.read(BYTES_PER_READ);
    if (pieces.length > 0) {
      try {
        this.splitter.push(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces));
      } catch (error) {
        throw tooLong(error);
      }
      return true;
    }
    if (!this.body.isEnded || this.hasReadTail) return false;
    if (this.body.error) throw cutFailure(this.body.error);
    this.hasReadTail = true;
    this.splitter.end();
    return true;
  }

  private read(most: number): readonly Buffer[] {
    const pieces = this.body.read(most);
    if (pieces.length === 0) return pieces;
    this.hasBytes = true;
    this.since = performance.now();
    for (const { length } of pieces) this.setting.budget.takeBytes(length);
    return pieces;
  }

  /** The first event is there: from now on the shorter limit holds. */
  private began(): void {
    this.hasEvents = true;
    if (this.failure) return;
    clearTimeout(this.timer);
    this.arm(this.limits.idleMs);
  }

  private arm(ms: number): void {
    this.timer = setTimeout(() => this.onTimer(), Math.min(Math.ceil(ms), LONGEST_TIMER_MS)).unref();
  }

  /** The first event has a limit of its own; afterwards anything that comes counts as life. */
  private onTimer(): void {
    const { firstEventMs, idleMs } = this.limits;
    const limit = this.hasEvents ? idleMs : Math.max(firstEventMs, this.hasBytes ? idleMs : 0);
    const since = this.hasEvents || this.hasBytes ? this.since : this.startedAt;
    const left = this.isHeld ? limit : limit - (performance.now() - since);
    if (left >= 1) {
      this.arm(left);
      return;
    }
    this.failure ??= silentFailure(
      this.hasEvents ? 'stopped sending before the end of its answer' : 'did not begin to answer in time',
    );
    this.body.abort(CLOSED);
    this.wake?.();
  }

  private readonly startedAt = this.since;
}

/** How long the end of an error answer may take after its head, in milliseconds. */
const ERROR_BODY_MS = 2000;
/** Node fires a longer timer at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** The reason of a request that was ended here. Made once: an error costs as much as the rest of `close`. */
const CLOSED = new Error('The request to the remote agent was ended');

/** False for the beginning of an event: the stream has ended within it. */
function isWhole(data: string): boolean {
  if (data === DONE) return true;
  try {
    JSON.parse(data);
    return true;
  } catch {
    return false;
  }
}

/** A media type without its parameters, in lower case. */
function mediaType(header: string | string[] | undefined): string {
  return (String(header ?? '').split(';')[0] ?? '').trim().toLowerCase();
}

function tooLong(cause?: unknown): RemoteFailure {
  return protocolFailure('An event of the remote agent is too long', cause);
}
