import type { LanguageModelV3, LanguageModelV3CallOptions } from '@ai-sdk/provider';
import type { ModelEvent } from '../../ports/model-client.js';
import { DRAIN_MS } from '../upstream/drain.js';
import type { ModelCall } from '../upstream/retried-batches.js';
import { UpstreamStreamError } from '../upstream/upstream-error.js';
import { type CallTimeouts, Watchdog } from '../upstream/watchdog.js';
import { upstreamErrorOf } from './sdk-error.js';
import { SdkStreamMapper } from './sdk-stream-mapper.js';

/** Unread events above which the provider's stream is not read on. */
const HIGH_WATER = 256;

/** One call of a provider's model. A batch is what its stream has brought since the last one. */
export class SdkCall implements ModelCall {
  private readonly controller = new AbortController();
  private readonly mapper: SdkStreamMapper;
  private readonly watchdog: Watchdog;
  private unread: ModelEvent[] = [];
  private isOver = false;
  /** The last event has come; the body may not have ended. */
  private isComplete = false;
  private failure: unknown;
  private isNotifying = false;
  private wake: (() => void) | undefined;
  private readOn: (() => void) | undefined;

  constructor(
    private readonly source: LanguageModelV3,
    options: LanguageModelV3CallOptions,
    timeouts: CallTimeouts,
    private readonly signal: AbortSignal,
  ) {
    this.mapper = new SdkStreamMapper(source);
    this.watchdog = new Watchdog(timeouts, (error) => this.fail(error));
    signal.addEventListener('abort', this.onAbort);
    void this.pump(options);
  }

  get model(): string | undefined {
    return this.mapper.model;
  }

  /** What the package has left out of the request, once the answer has begun: sentences for the log. */
  get notes(): readonly string[] {
    return this.mapper.notes;
  }

  async next(): Promise<readonly ModelEvent[] | undefined> {
    this.watchdog.wait();
    for (;;) {
      this.signal.throwIfAborted();
      if (this.unread.length > 0) return this.take();
      if (this.failure !== undefined) throw upstreamErrorOf(this.failure);
      if (this.isOver) return undefined;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  /** Ends the call. A complete answer is read to its end, so that the connection can be used again. */
  close(): void {
    this.watchdog.close();
    this.signal.removeEventListener('abort', this.onAbort);
    if (!this.isComplete) this.fail(new Error('The model call was ended'));
  }

  private readonly onAbort = (): void => this.fail(new Error('The model call was aborted'));

  private take(): readonly ModelEvent[] {
    const batch = this.unread;
    this.unread = [];
    this.readOn?.();
    this.watchdog.hold();
    return batch;
  }

  /** The first failure counts: the others are its consequences. */
  private fail(error: unknown): void {
    if (!this.isOver) this.failure ??= error;
    this.isOver = true;
    this.controller.abort();
    this.readOn?.();
    this.wake?.();
  }

  private async pump(options: LanguageModelV3CallOptions): Promise<void> {
    try {
      const { stream } = await this.source.doStream(
        Object.assign({}, options, { abortSignal: this.controller.signal }),
      );
      const reader = stream.getReader();
      const { mapper } = this;
      while (!this.isOver) {
        const { done, value } = await reader.read();
        if (this.isOver) break;
        if (done) {
          if (!mapper.isFinished) throw new UpstreamStreamError(new Error('The stream has no finish'));
          this.isOver = true;
          break;
        }
        this.watchdog.progress();
        mapper.map(value, this.unread);
        if (mapper.isFinished) this.isOver = this.isComplete = true;
        this.notify();
        if (this.isComplete) await this.drain(reader);
        else if (this.unread.length > HIGH_WATER) await new Promise<void>((resolve) => (this.readOn = resolve));
      }
      void reader.cancel().catch(() => undefined);
      this.notify();
    } catch (error) {
      this.fail(error);
    }
  }

  /** The connection can serve further calls once the rest of the answer is read. What fails here is no failure. */
  private async drain(reader: ReadableStreamDefaultReader<unknown>): Promise<void> {
    const giveUp = (): void => {
      this.controller.abort();
      void reader.cancel().catch(() => undefined);
    };
    const timer = setTimeout(giveUp, DRAIN_MS).unref();
    const hasMore = async (): Promise<boolean> => !(await reader.read().catch(() => ({ done: true }))).done;
    while (await hasMore());
    clearTimeout(timer);
  }

  /** Once for all that one turn of the event loop brings. */
  private notify(): void {
    if (this.isNotifying) return;
    this.isNotifying = true;
    setImmediate(() => {
      this.isNotifying = false;
      this.wake?.();
    });
  }
}
