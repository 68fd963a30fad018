import type { AppError, Delay } from '../../../common/index.js';
import type { FailedTry, ModelEvent } from '../../ports/model-client.js';
import { toAppError } from './error-mapping.js';
import { kindOf } from './failure-kind.js';
import { retryDelayMs } from './retry-policy.js';
import type { ToolNames } from './tool-names.js';
import { EmptyAnswerError, UpstreamStreamError } from './upstream-error.js';

/** One attempt of a model call. */
export interface ModelCall {
  /** The model that answers, as the server names it; undefined until it has said so. */
  readonly model: string | undefined;
  /** The next events, at least one; undefined at the end. @throws whatever went wrong */
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
  /** Told of the error that a call ends with. */
  readonly failed?: (error: AppError) => void;
}

type Batch = readonly ModelEvent[];

const NO_RETRIES: readonly FailedTry[] = [];

/** How a call ends whose prompt or answer the provider's filter has refused with an error. */
const FILTERED: Batch = [{ type: 'finish', reason: 'content-filter', usage: null }];

/**
 * The batches of a model call that is made again when it fails before its first event. A fault of the model or an empty
 * answer is tried once more, also after thoughts. An error of the provider's filter is the end of the answer, like the
 * finish reason for it. Here the answers of all kinds of clients enter, so here the names of tools become their own
 * again. Written by hand: a generator costs several promises more for each batch.
 *
 * @throws AppError MODEL_*, INVALID_PARAMETER; the signal's reason
 */
export class RetriedBatches implements AsyncIterableIterator<readonly ModelEvent[]> {
  /** The tries that failed so far, but for the last one. */
  retries: readonly FailedTry[] = NO_RETRIES;
  /** The model that answers, as the server names it in the newest answer that does. */
  model: string | undefined;
  private call: ModelCall | undefined;
  private attempt = 0;
  private hasBegun = false;
  /** True after the first event that is no thought. */
  private hasAnswered = false;
  private hasRepeatedFault = false;
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
        this.model = this.call.model ?? this.model;
        this.hasAnswered ||= value.some(({ type }) => type !== 'reasoning-delta');
        return { done: false, value: this.names?.inward(value) ?? value };
      } catch (error) {
        const value = await this.retry(error);
        if (value) return { done: false, value };
      }
    }
    this.close();
    return { done: true, value: undefined };
  }

  return(): Promise<IteratorResult<readonly ModelEvent[], undefined>> {
    this.close();
    return Promise.resolve({ done: true, value: undefined });
  }

  /**
   * Waits until the call may be made again.
   *
   * @returns the last batch, if the failure is an end of the answer
   * @throws the error that the call ends with
   */
  private async retry(error: unknown): Promise<Batch | undefined> {
    try {
      this.call?.close();
      this.call = undefined;
      this.signal.throwIfAborted();
      const pause = this.canRetry(error) ? retryDelayMs(error, this.attempt, this.settings.random()) : undefined;
      if (pause === undefined) return this.lastBatch(error);
      this.attempt += 1;
      const { code, message } = toAppError(error, this.hasBegun);
      this.retries = [...this.retries, { at: Date.now(), code, message, pauseMs: pause }];
      await this.settings.delay(pause, this.signal);
      return undefined;
    } catch (final) {
      this.close();
      throw final;
    }
  }

  private canRetry(error: unknown): boolean {
    if (this.attempt >= this.settings.maxRetries) return false;
    if (!(error instanceof UpstreamStreamError && error.mayPass)) return !this.hasBegun;
    const isFirst = !this.hasRepeatedFault;
    this.hasRepeatedFault = true;
    return isFirst && !this.hasAnswered;
  }

  /** @throws AppError unless the answer is complete */
  private lastBatch(error: unknown): Batch {
    const finish = error instanceof EmptyAnswerError ? error.finish : undefined;
    if (!finish && kindOf(error) !== 'filtered') {
      const failure = toAppError(error, this.hasBegun);
      this.settings.failed?.(failure);
      throw failure;
    }
    this.isOver = true;
    return finish ? [finish] : FILTERED;
  }

  private close(): void {
    this.isOver = true;
    this.call?.close();
    this.call = undefined;
  }
}
