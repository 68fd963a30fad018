import { createBrotliDecompress, createGunzip, createInflate, constants } from 'node:zlib';
import type { Transform } from 'node:stream';
import type { Dispatcher } from 'undici';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Unread bytes above which the upstream is paused, and below which it is resumed. */
const HIGH_WATER = 256 * 1024;
/** Bytes below which reading resumes after a pause. */
const LOW_WATER = 64 * 1024;

const NOTHING: readonly Buffer[] = [];

/**
 * The answer to one HTTP request, as it arrives: a handler of undici's dispatcher. It
 * notifies once for all the chunks of one socket read, and keeps what arrived before the connection broke.
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
  private decompression: Transform | undefined;
  private unread: Buffer[] = [];
  private unreadBytes = 0;
  private isNotifying = false;
  private abortReason: Error | undefined;

  /** @param onArrival called, not synchronously, when there is a head, bytes, an end or an error */
  constructor(private readonly onArrival: () => void) {}

  /** Takes bytes that have arrived: all of them, or the first pieces of the body with `most` bytes or a little more. */
  read(most = Number.POSITIVE_INFINITY): readonly Buffer[] {
    if (this.unread.length === 0) return NOTHING;
    const bytes = this.unreadBytes > most ? this.unread.splice(0, this.countOf(most)) : this.unread;
    if (bytes === this.unread) this.unread = [];
    for (const { length } of bytes) this.unreadBytes -= length;
    this.resume();
    return bytes;
  }

  /** Ends the request. What arrives after that is dropped. */
  abort(reason: Error): void {
    if (this.isEnded || this.abortReason) return;
    this.abortReason = reason;
    this.unread = [];
    this.decompression?.destroy();
    this.controller?.abort(reason);
  }

  /** Called by undici before the request is sent. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.abortReason) controller.abort(this.abortReason);
  }

  /** Called by undici with the status and the headers. */
  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    // Informational answers come before the real one.
    if (status < 200) return;
    this.status = status;
    this.headers = headers;
    this.decompression = this.decompressorFor(String(headers['content-encoding'] ?? ''));
    this.notify();
  }

  /** Called by undici with each piece of the body. */
  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.decompression) this.decompression.write(chunk);
    else this.add(chunk);
  }

  /** Called by undici at the end of the body. */
  onResponseEnd(): void {
    if (this.decompression) this.decompression.end();
    else this.end();
  }

  /** Called by undici when the request or the connection fails. */
  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.error ??= error;
    this.end();
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
    if (this.unreadBytes > HIGH_WATER) this.pause();
    this.notify();
  }

  private end(): void {
    this.isEnded = true;
    this.notify();
  }

  private pause(): void {
    this.decompression?.pause();
    this.controller?.pause();
  }

  private resume(): void {
    if (this.unreadBytes > LOW_WATER) return;
    this.decompression?.resume();
    if (this.controller?.paused) this.controller.resume();
  }

  /** Notifies the reader once about all pieces that arrive together. */
  private notify(): void {
    if (this.isNotifying) return;
    this.isNotifying = true;
    // The chunks of one socket read come synchronously: all of them are there when this runs.
    queueMicrotask(() => {
      this.isNotifying = false;
      this.onArrival();
    });
  }

  private decompressorFor(encoding: string): Transform | undefined {
    const stream = decompressor(encoding.trim().toLowerCase());
    stream?.on('data', (chunk: Buffer) => this.add(chunk));
    stream?.on('end', () => this.end());
    stream?.on('error', (error: Error) => {
      this.error ??= error;
      this.abort(error);
      this.end();
    });
    return stream;
  }
}

/** What a proxy or a server may compress with although it was not asked to. */
function decompressor(encoding: string): Transform | undefined {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip({ flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH });
    case 'deflate':
      return createInflate({ flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH });
    case 'br':
      return createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH });
    default:
      return undefined;
  }
}
