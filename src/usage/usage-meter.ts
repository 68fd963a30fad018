import type { Usage } from '../events/index.js';

/** A model call that is about to be made. */
export interface MeteredCall {
  /** Identifies the step in the journal, such as `model:0`. */
  readonly step: string;
  /** The name under which the model has a price. */
  readonly model: string;
  /** The provider, for prices that differ by provider. */
  readonly provider?: string | undefined;
  /** The estimated tokens of the input. Called only if there are budgets. */
  readonly inputTokens: () => number;
  /** The most output that the call is allowed; absent for no limit. */
  readonly maxOutputTokens?: number | undefined;
}

/** One model call that is metered. Only the first of `settle`, `cut` and `release` counts. */
export interface CallMeter {
  /** The most output that the call may have, to be sent to the model server; undefined for no limit. */
  readonly maxOutputTokens: number | undefined;
  /** True if a budget allows less output than requested: an answer that ends there has used the budget up. */
  readonly isShortened: boolean;
  /**
   * The call is over. Committed together with the step of the journal that is finished in the same turn of the event loop.
   *
   * @param usage what the provider has reported
   * @param estimated what counts where it has reported nothing, or no output although there was some
   */
  settle(usage: Usage | null, estimated: () => Usage): void;
  /** The call was cut off: it is booked as estimated. */
  cut(estimated: Usage): void;
  /** The call has failed before its first piece: nothing was used. */
  release(): void;
}

/**
 * Books what the model calls of a run use, and keeps them within the budgets (contract access, section 7). `ModelLoop` does
 * this by itself; agents with models of their own, and remote agents, call it around each of their calls:
 *
 * ```ts
 * const call = await context.usage.begin({ step: 'model:0', model: 'my-model', inputTokens: () => 500 });
 * const answer = await ask(prompt, { maxTokens: call.maxOutputTokens });
 * call.settle(answer.usage, () => usageOf(500, estimateTextTokens(answer.text), 0));
 * context.journal.finish('model:0', hash, answer.output, messageIds);
 * ```
 */
export interface UsageMeter {
  /**
   * Reserves what a call may use. Without prices and budgets it costs nothing and answers at once.
   *
   * @throws AppError BUDGET_EXCEEDED, which ends the run as failed if the agent does not catch it
   */
  begin(call: MeteredCall): CallMeter | Promise<CallMeter>;

  /** The meter of a part of the run. @param prefix of its steps @param agent the agent that its calls are booked for */
  part(prefix: string, agent: string): UsageMeter;
}

/** A call that nobody books. */
export const FREE_CALL: CallMeter = {
  maxOutputTokens: undefined,
  isShortened: false,
  settle: () => undefined,
  cut: () => undefined,
  release: () => undefined,
};

/** Books nothing: for tests of agents. */
export const FREE_USAGE: UsageMeter = { begin: () => FREE_CALL, part: () => FREE_USAGE };
