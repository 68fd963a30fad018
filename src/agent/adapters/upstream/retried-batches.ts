import type { Delay } from '../../../common/index.js';
import type { ModelEvent } from '../../ports/model-client.js';
import { toAppError } from './error-mapping.js';
import { retryDelayMs } from './retry-policy.js';
import type { ToolNames } from './tool-names.js';

/** One attempt of a model call. */
export interface ModelCall {
  /** The next events, never none; undefined at the end. @throws whatever went wrong */
  next(): Promise<readonly ModelEvent[] | undefined>;
  /** Ends the call, finished or not. */
  close(): void;
}

/** When a failed call is made again. */
export interface RetrySettings {
  /** Further attempts after the first one. */
  readonly maxRetries: number;
  readonly delay: Delay;
  /** The jitter: a number in [0, 1). */
  readonly random: () => number;
}

/**
 * The batches of a model call that is made again when it fails before its first event. Written by hand:
 * a generator costs several promises more for each batch. Here the answers of all kinds of clients enter, so here the
 * names of tools become their own again.
 *
 * @throws AppError MODEL_*, INVALID_PARAMETER; the signal's reason
 */
export class RetriedBatches implements AsyncIterableIterator<readonly ModelEvent[]> {
  private call: ModelCall | undefined;
  private attempt = 0;
  private hasBegun = false;
  private isOver = false;

  constructor(
    private readonly open: () => ModelCall | Promise<ModelCall>,
    private readonly settings: RetrySettings,
    private readonly signal: AbortSignal,
    private readonly names?: ToolNames,
  ) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<readonly ModelEvent[], undefined>> {
    while (!this.isOver) {
      try {
        this.signal.throwIfAborted();
        this.call ??= await this.open();
        const value = await this.call.next();
        // What had arrived before an abort is dropped.
        this.signal.throwIfAborted();
        if (value === undefined) break;
        this.hasBegun = true;
        return { done: false, value: this.names?.inward(value) ?? value };
      } catch (error) {
        await this.retry(error);
      }
    }
    this.close();
    return { done: true, value: undefined };
  }

  return(): Promise<IteratorResult<readonly ModelEvent[], undefined>> {
    this.close();
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Waits until the call may be made again. @throws the error that the call ends with */
  private async retry(error: unknown): Promise<void> {
    try {
      this.call?.close();
      this.call = undefined;
      this.signal.throwIfAborted();
      const { maxRetries, random, delay } = this.settings;
      const canRetry = !this.hasBegun && this.attempt < maxRetries;
      const pause = canRetry ? retryDelayMs(error, this.attempt, random()) : undefined;
      if (pause === undefined) throw toAppError(error);
      this.attempt += 1;
      await delay(pause, this.signal);
    } catch (final) {
      this.close();
      throw final;
    }
  }

  private close(): void {
    this.isOver = true;
    this.call?.close();
    this.call = undefined;
  }
}
