import type { Dispatcher } from 'undici';
import type { Carrier } from '../upstream/counted-client.js';
import { ContentDecoding } from './content-decoding.js';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Unread bytes above which the upstream is paused: at first, and at most. */
const FIRST_HIGH_WATER = 8 * 1024;
const HIGH_WATER = 256 * 1024;
/** Bytes below which reading resumes after a pause. */
const LOW_WATER = 64 * 1024;
/** How often a request is sent again because its connection was closed before it arrived. */
const MAX_RESENDS = 3;
/** A server that closes a connection later than this may have begun to process the request. */
const RESEND_WITHIN_MS = 1000;
/** The codes of a connection that the other side has closed. */
const CLOSED_CODES: ReadonlySet<unknown> = new Set(['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'UND_ERR_SOCKET']);

const NOTHING: readonly Buffer[] = [];
/** `queueMicrotask` makes an object for each call that keeps the asynchronous context, which nobody needs here. */
const RESOLVED = Promise.resolve();

/**
 * The answer to one HTTP request, as it arrives: a handler of undici's dispatcher. It
 * notifies once for all the chunks of one socket read, and keeps what arrived before the connection broke.
 *
 * A server may close an unused connection while a request is on its way to it. Such a request was most likely not
 * processed: it is sent again at once. If the connection closes later, the policy for retries decides.
 *
 * It holds no more unread bytes than were read before, within limits: the first events of a model that sends everything
 * at once do not wait until the rest is taken apart.
 */
export class AnswerBody implements Dispatcher.DispatchHandler {
  /** 0 until the head of the answer is there. */
  status = 0;
  headers: Headers = {};
  /** True when no byte follows those that are unread. */
  isEnded = false;
  /** Why the connection or the request failed. */
  error: Error | undefined;
  private controller: Dispatcher.DispatchController | undefined;
  private decoding: ContentDecoding | undefined;
  private unread: Buffer[] = [];
  private unreadBytes = 0;
  private readBytes = 0;
  private isNotifying = false;
  private abortReason: Error | undefined;
  private carrier: Carrier | undefined;
  /** The connection has carried other requests before this one. */
  private isReused = false;
  private hasBegun = false;
  /** When the request was sent, by `performance.now()`. */
  private sentAt = 0;
  private resends = 0;

  /**
   * @param onArrival called, not synchronously, when there is a head, bytes, an end or an error
   * @param send sends the request, with this object as its handler
   */
  constructor(
    private readonly onArrival: () => void,
    private readonly send: () => void,
  ) {}

  /** Takes bytes that have arrived: all of them, or the first pieces of the body with `most` bytes or a little more. */
  read(most = Number.POSITIVE_INFINITY): readonly Buffer[] {
    if (this.unread.length === 0) return NOTHING;
    const bytes = this.unreadBytes > most ? this.unread.splice(0, this.countOf(most)) : this.unread;
    if (bytes === this.unread) this.unread = [];
    for (const { length } of bytes) {
      this.unreadBytes -= length;
      this.readBytes += length;
    }
    this.resume();
    return bytes;
  }

  /** Ends the request. What arrives after that is dropped. */
  abort(reason: Error): void {
    if (this.isEnded || this.abortReason) return;
    this.abortReason = reason;
    this.unread = [];
    this.decoding?.destroy();
    this.controller?.abort(reason);
  }

  /** Called with the connection before the request is written to it. */
  carriedBy(carrier: Carrier): void {
    this.carrier = carrier;
  }

  /** Called by undici before the request is sent. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    this.isReused = this.carrier?.begin() ?? false;
    this.sentAt = performance.now();
    if (this.abortReason) controller.abort(this.abortReason);
  }

  /** Called by undici with the first byte of the answer. */
  onResponseStarted(): void {
    this.hasBegun = true;
  }

  /** Called by undici with the status and the headers. */
  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    // Informational answers come before the real one.
    if (status < 200) return;
    this.status = status;
    this.headers = headers;
    this.decode(String(headers['content-encoding'] ?? ''));
    this.notify();
  }

  /** Called by undici with each piece of the body. */
  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.decoding) this.decoding.write(chunk);
    else this.add(chunk);
  }

  /** Called by undici at the end of the body. */
  onResponseEnd(): void {
    if (this.decoding) this.decoding.end();
    else this.end();
  }

  /** Called by undici when the request or the connection fails. */
  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (this.isEnded) return;
    if (this.isUnprocessed(error)) this.resend();
    else {
      this.error ??= error;
      // The decoder still holds bytes that arrived before.
      if (this.decoding && !this.abortReason) this.decoding.end();
      else this.end();
    }
  }

  /** How many of the unread pieces it takes for this number of bytes. */
  private countOf(bytes: number): number {
    let left = bytes;
    return this.unread.findIndex(({ length }) => (left -= length) <= 0) + 1;
  }

  private add(chunk: Buffer): void {
    if (this.abortReason) return;
    this.unread.push(chunk);
    this.unreadBytes += chunk.length;
    if (this.unreadBytes > Math.min(HIGH_WATER, Math.max(FIRST_HIGH_WATER, this.readBytes))) this.pause();
    this.notify();
  }

  private end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.notify();
  }

  /** The rest of the body cannot be read. */
  private fail(error: Error): void {
    if (this.isEnded) return;
    this.error ??= error;
    this.end();
    this.decoding?.destroy();
    this.controller?.abort(error);
  }

  /** Whether a connection that was open before has closed at once, without a byte for this request. */
  private isUnprocessed(error: Error & { readonly code?: unknown }): boolean {
    if (!this.isReused || this.hasBegun || this.abortReason) return false;
    if (performance.now() - this.sentAt > RESEND_WITHIN_MS) return false;
    return this.resends < MAX_RESENDS && CLOSED_CODES.has(error.code);
  }

  /** In a task of its own, because undici still cleans up the connection. */
  private resend(): void {
    this.resends += 1;
    this.controller = undefined;
    queueMicrotask(() => {
      if (this.abortReason) this.end();
      else this.send();
    });
  }

  private pause(): void {
    this.decoding?.pause();
    this.controller?.pause();
  }

  private resume(): void {
    if (this.unreadBytes > LOW_WATER) return;
    this.decoding?.resume();
    if (this.controller?.paused) this.controller.resume();
  }

  /** Notifies the reader once about all pieces that arrive together. */
  private notify(): void {
    if (this.isNotifying) return;
    this.isNotifying = true;
    // The chunks of one socket read come synchronously: all of them are there when this runs.
    void RESOLVED.then(this.deliver);
  }

  private readonly deliver = (): void => {
    this.isNotifying = false;
    this.onArrival();
  };

  private decode(encoding: string): void {
    if (!ContentDecoding.isNeeded(encoding)) return;
    try {
      this.decoding = new ContentDecoding(encoding, {
        data: (chunk) => this.add(chunk),
        end: () => this.end(),
        error: (error) => this.fail(error),
      });
    } catch (error) {
      this.fail(error as Error);
    }
  }
}
