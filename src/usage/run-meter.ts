import { AppError, type WallClock } from '../common/index.js';
import type { Usage } from '../events/index.js';
import { BudgetExceeded } from './budget-exceeded.js';
import { type Budget, budgetsOf, budgetWords, type CountedBudget, dayOf, resetOf, type Spender } from './budget.js';
import type { Book } from './books.js';
import { costOf, countedTokens, type CountedTokens, type Price, priceFor } from './price.js';
import type { UsageLedger } from './ports/usage-ledger.js';
import { amountOf, type EntryState, type SettledCall, type SpendingRun, type UsageEntry } from './usage-entry.js';
import { type CallMeter, FREE_CALL, type MeteredCall, type UsageMeter } from './usage-meter.js';
import type { UsageMetrics } from './usage.metrics.js';

/** The least output that a shortened call must have: less is worth no call. */
const LEAST_OUTPUT = 256;
/** The size of the columns. */
const LONGEST_STEP = 256;
const LONGEST_MODEL = 200;
const LONGEST_PROVIDER = 64;

/** What a run spends for. */
export interface MeteredRun extends SpendingRun, Pick<Spender, 'agent' | 'account' | 'rootRunRowId'> {}

/** What a meter needs of the server. */
export interface MeterParts {
  readonly ledger: UsageLedger;
  readonly metrics: UsageMetrics;
  readonly clock: WallClock;
  readonly bookOf: (tenantId: string) => Book | Promise<Book>;
  readonly newestBook: (tenantId: string) => Book | undefined;
  readonly denyUnpriced: boolean;
  /** The most output of a call under a budget if nothing else limits it. */
  readonly defaultOutput: number;
}

/** Where the ends of calls go, and how the run waits. */
export interface MeterOptions {
  /** Commits the end of a call with what the run writes in this turn. Without effect if the run writes no more. */
  readonly book: (call: SettledCall) => void;
  /** Repeats what fails because the database is unavailable, as long as the run is executed here. */
  readonly patiently: <T>(work: () => Promise<T>) => Promise<T>;
  /** Estimated output of calls of an earlier execution that the log shows and no entry tells of. Default: none. */
  readonly lostOutput?: number;
}

/** The meter of one execution of a run. */
export class RunMeter implements UsageMeter {
  /** Calls that are being made. */
  private readonly open = new Set<OpenCall>();
  private readonly steps = new Map<string, number>();
  private lostOutput: number;

  constructor(
    private readonly run: MeteredRun,
    private readonly parts: MeterParts,
    private readonly options: MeterOptions,
  ) {
    this.lostOutput = options.lostOutput ?? 0;
  }

  begin(call: MeteredCall): CallMeter | Promise<CallMeter> {
    return this.beginFor(this.run.agent, call);
  }

  part(prefix: string, agent: string): UsageMeter {
    return new PartMeter(this, prefix, agent);
  }

  /** Begins a call of an agent of the run. */
  beginFor(agent: string, call: MeteredCall): CallMeter | Promise<CallMeter> {
    const book = this.parts.bookOf(this.run.tenantId);
    if (!(book instanceof Promise)) return this.beginIn(book, agent, call);
    const { patiently } = this.options;
    return book.then(
      (read) => this.beginIn(read, agent, call),
      () => patiently(async () => this.parts.bookOf(this.run.tenantId)).then((read) => this.beginIn(read, agent, call)),
    );
  }

  /** The run is over: calls that nobody has ended are booked as they were reserved. */
  close(): void {
    for (const call of this.open) call.abandon();
  }

  private beginIn(book: Book, agent: string, call: MeteredCall): CallMeter | Promise<CallMeter> {
    if (!book.isOn) return FREE_CALL;
    const { run, parts } = this;
    const now = parts.clock.now();
    const spender = spenderOf(run, agent, dayOf(now, book.timeZone));
    const price = priceFor(book.prices, call.model, call.provider, now);
    const budgets = budgetsOf(book.budgets, spender);
    const limits = [call.maxOutputTokens, price?.maxOutput].filter((limit) => typeof limit === 'number');
    const wanted = limits.length > 0 ? Math.min(...limits) : undefined;
    const entry = this.entryOf(call, spender, price, now);
    this.bookLost(entry, call, book, price);
    if (budgets.length === 0) {
      const limit = call.maxOutputTokens === undefined ? undefined : wanted;
      return this.opened({ entry, price, reserved: false, limit, isShortened: false });
    }
    this.requirePrices(budgets, price, call.model, book);
    return this.reserve(entry, call, { price, budgets, wanted: wanted ?? parts.defaultOutput, book });
  }

  private async reserve(
    entry: UsageEntry,
    call: MeteredCall,
    { price, budgets, wanted, book }: ReservePlan,
  ): Promise<CallMeter> {
    const tokens: CountedTokens = { input: call.inputTokens(), cachedInput: 0, output: wanted, reasoning: 0 };
    const asked = { ...entry, state: 'reserved' as const, tokens, cost: costOf(price, tokens) };
    const leastOutput = Math.min(LEAST_OUTPUT, wanted);
    const work = (): Promise<UsageEntry> => this.parts.ledger.reserve({ entry: asked, leastOutput, price, budgets });
    try {
      const reserved = await this.options.patiently(work);
      const limit = reserved.tokens.output;
      return this.opened({ entry: reserved, price, reserved: true, limit, isShortened: limit < wanted });
    } catch (error) {
      if (!(error instanceof BudgetExceeded)) throw error;
      const { budget } = error.exceeded;
      this.parts.metrics.refused.with(budget.subject, budget.window, 'run').add();
      await this.options.patiently(() => this.parts.ledger.markExceeded(error.exceeded, this.parts.clock.now()));
      throw new BudgetExceeded(error.exceeded, resetIn(budget, entry.day, book.timeZone, this.parts.clock.now()));
    }
  }

  /** @throws AppError BUDGET_EXCEEDED for a model without a price where a budget limits the cost */
  private requirePrices(
    budgets: readonly CountedBudget[],
    price: Price | undefined,
    model: string,
    { prices }: Book,
  ): void {
    if (price || !this.parts.denyUnpriced) return;
    const limiting = budgets.find(({ budget }) => budget.action === 'block' && budget.cost !== null);
    if (!limiting) return;
    const { budget } = limiting;
    this.parts.metrics.refused.with(budget.subject, budget.window, 'unpriced').add();
    const why = prices.length === 0 ? 'there are no prices' : `the model ${model} has no price`;
    throw new AppError('BUDGET_EXCEEDED', `${budgetWords(budget)} limits the cost, but ${why}`);
  }

  /** The entry of a call, before it is known what it uses. */
  private entryOf(call: MeteredCall, spender: Spender, price: Price | undefined, at: number): UsageEntry {
    const count = (this.steps.get(call.step) ?? 0) + 1;
    this.steps.set(call.step, count);
    // An agent that has caught the failure of a step may make it again.
    const suffix = count === 1 ? '' : `~${count}`;
    return {
      ...spender,
      run: this.run,
      step: call.step.slice(0, LONGEST_STEP - suffix.length) + suffix,
      model: call.model.slice(0, LONGEST_MODEL),
      provider: (call.provider ?? '').slice(0, LONGEST_PROVIDER),
      state: 'settled',
      tokens: NO_TOKENS,
      cost: 0,
      priceRowId: price?.rowId ?? null,
      at,
    };
  }

  /** A call of an earlier execution that was not reserved: its step is the first that is done again. */
  private bookLost(entry: UsageEntry, call: MeteredCall, book: Book, price: Price | undefined): void {
    if (this.lostOutput === 0) return;
    const tokens: CountedTokens = { input: call.inputTokens(), cachedInput: 0, output: this.lostOutput, reasoning: 0 };
    this.lostOutput = 0;
    const lost: UsageEntry = {
      ...entry,
      run: { ...entry.run, fence: entry.run.fence - 1 },
      state: 'estimated',
      tokens,
      cost: costOf(price, tokens),
    };
    this.options.book({ entry: lost, reserved: null, budgets: budgetsOf(book.budgets, lost) });
    this.parts.metrics.calls.with('estimated').add();
  }

  private opened(begun: BegunCall): CallMeter {
    const call = new OpenCall(begun, (entry) => {
      this.open.delete(call);
      this.parts.metrics.calls.with(entry.state).add();
      const isBooked = begun.reserved || entry.state !== 'released';
      if (!isBooked) return;
      const { budgets = [] } = this.parts.newestBook(this.run.tenantId) ?? {};
      const reserved = begun.reserved ? amountOf(begun.entry) : null;
      this.options.book({ entry, reserved, budgets: budgetsOf(budgets, entry) });
    });
    this.open.add(call);
    return call;
  }
}

/** How a call is reserved. */
interface ReservePlan {
  readonly price: Price | undefined;
  readonly budgets: readonly CountedBudget[];
  readonly wanted: number;
  readonly book: Book;
}

/** A call that was begun. */
interface BegunCall {
  readonly entry: UsageEntry;
  readonly price: Price | undefined;
  readonly reserved: boolean;
  readonly limit: number | undefined;
  readonly isShortened: boolean;
}

const NO_TOKENS: CountedTokens = { input: 0, cachedInput: 0, output: 0, reasoning: 0 };

class OpenCall implements CallMeter {
  private isOver = false;

  constructor(
    private readonly begun: BegunCall,
    private readonly booked: (entry: UsageEntry) => void,
  ) {}

  get maxOutputTokens(): number | undefined {
    return this.begun.limit;
  }

  get isShortened(): boolean {
    return this.begun.isShortened;
  }

  settle(usage: Usage | null, estimated: () => Usage): void {
    if (this.isOver) return;
    const reported = usage && countedTokens(usage);
    if (reported && reported.output > 0 && reported.input > 0) {
      this.end('settled', reported);
      return;
    }
    const guessed = countedTokens(estimated());
    if (reported && (reported.output > 0 || guessed.output === 0) && (reported.input > 0 || guessed.input === 0)) {
      this.end('settled', reported);
      return;
    }
    // What the provider has reported counts, what it has left out is estimated.
    this.end('estimated', {
      ...guessed,
      ...(reported && reported.input > 0 && { input: reported.input, cachedInput: reported.cachedInput }),
      ...(reported && reported.output > 0 && { output: reported.output, reasoning: reported.reasoning }),
    });
  }

  cut(estimated: Usage): void {
    this.end('estimated', countedTokens(estimated));
  }

  release(): void {
    this.end('released', NO_TOKENS);
  }

  /** Nobody has ended the call, so that it is not known what it used. */
  abandon(): void {
    this.end('estimated', this.begun.entry.tokens);
  }

  private end(state: EntryState, tokens: CountedTokens): void {
    if (this.isOver) return;
    this.isOver = true;
    const cost = state === 'released' ? 0 : costOf(this.begun.price, tokens);
    this.booked({ ...this.begun.entry, state, tokens, cost });
  }
}

/** The meter of a subagent. */
class PartMeter implements UsageMeter {
  constructor(
    private readonly whole: RunMeter,
    private readonly prefix: string,
    private readonly agent: string,
  ) {}

  begin(call: MeteredCall): CallMeter | Promise<CallMeter> {
    return this.whole.beginFor(this.agent, Object.assign({}, call, { step: this.prefix + call.step }));
  }

  part(prefix: string, agent: string): UsageMeter {
    return new PartMeter(this.whole, this.prefix + prefix, agent);
  }
}

function spenderOf({ userId, account, rootRunRowId }: MeteredRun, agent: string, day: string): Spender {
  return { userId, agent, account, rootRunRowId, day };
}

/** In how many milliseconds the period of a budget ends; null if it does not. */
export function resetIn({ window }: Pick<Budget, 'window'>, day: string, timeZone: string, now: number): number | null {
  const at = resetOf(window, day, timeZone);
  return at === null ? null : at - now;
}
