import { Injectable } from '@nestjs/common';
import { Clock } from '../common/index.js';
import { BudgetExceeded } from './budget-exceeded.js';
import { type Budget, budgetsOf, dayOf, type Spender } from './budget.js';
import { Books } from './books.js';
import { costOf, type CountedTokens, type Price } from './price.js';
import { type CounterView, UsageLedger } from './ports/usage-ledger.js';
import { type MeteredRun, type MeterOptions, type MeterParts, resetIn, RunMeter } from './run-meter.js';
import { amountOf, type SettledCall, type SpendingRun, type UsageEntry } from './usage-entry.js';
import { UsageMetrics } from './usage.metrics.js';
import { UsageSettings } from './usage.settings.js';

/** Who wants to start a run. */
export interface Starter extends Pick<Spender, 'userId' | 'agent' | 'account'> {
  readonly tenantId: string;
}

/** What runs do with budgets and usage (contract access, section 7). */
@Injectable()
export class Spending {
  private readonly parts: MeterParts;

  constructor(
    private readonly books: Books,
    private readonly ledger: UsageLedger,
    private readonly metrics: UsageMetrics,
    private readonly clock: Clock,
    settings: UsageSettings,
  ) {
    this.parts = {
      ledger,
      metrics,
      clock,
      bookOf: (tenantId) => books.of(tenantId),
      newestBook: (tenantId) => books.newest(tenantId),
      denyUnpriced: settings.unpricedModels === 'deny',
      defaultOutput: settings.defaultOutput,
    };
  }

  /** The meter of one execution of a run. */
  meter(run: MeteredRun, options: MeterOptions): RunMeter {
    return new RunMeter(run, this.parts, options);
  }

  /**
   * Whether a run may start: there must be room in each budget that refuses calls and that does not begin with the run.
   *
   * @throws BudgetExceeded; the driver's error
   */
  async admit({ tenantId, ...who }: Starter): Promise<void> {
    const known = this.books.of(tenantId);
    const { budgets, timeZone } = known instanceof Promise ? await known : known;
    const blocking = budgets.filter(({ action, window }) => action === 'block' && window !== 'run');
    if (blocking.length === 0) return;
    const now = this.clock.now();
    const day = dayOf(now, timeZone);
    const counters = await this.ledger.counters(budgetsOf(budgets, { ...who, rootRunRowId: 0, day }));
    const full = counters.find((counter) => blocking.includes(counter.budget) && isFull(counter));
    if (!full) return;
    this.metrics.refused.with(full.budget.subject, full.budget.window, 'start').add();
    throw new BudgetExceeded(full, resetIn(full.budget, day, timeZone, now));
  }

  /**
   * Closes what earlier executions of a run have reserved: as estimated, because they are over.
   *
   * @param output the estimated tokens that they have written and not finished
   * @returns how many of these tokens no entry was reserved for
   */
  async closeEarlier(run: SpendingRun, output: number): Promise<number> {
    const entries = await this.ledger.reservedBefore(run);
    if (entries.length === 0) return output;
    const book = await this.books.of(run.tenantId);
    let left = output;
    const calls = entries.map((entry): SettledCall => {
      const written = Math.min(left, entry.tokens.output);
      left -= written;
      return this.estimated(entry, { ...entry.tokens, output: written }, book);
    });
    await this.ledger.close(calls, this.clock.now());
    this.metrics.calls.with('estimated').add(calls.length);
    return 0;
  }

  /** Closes the reservations of runs that have ended. Returns how many. */
  async closeAbandoned(reservedBefore: number, limit: number): Promise<number> {
    const entries = await this.ledger.abandoned(reservedBefore, limit);
    for (const entry of entries) {
      const book = await this.books.of(entry.run.tenantId);
      await this.ledger.close([this.estimated(entry, entry.tokens, book)], this.clock.now());
      this.metrics.calls.with('estimated').add();
    }
    return entries.length;
  }

  private estimated(
    entry: UsageEntry,
    tokens: CountedTokens,
    { prices, budgets }: { readonly prices: readonly Price[]; readonly budgets: readonly Budget[] },
  ): SettledCall {
    const price = prices.find(({ rowId }) => rowId === entry.priceRowId);
    const cost = Math.min(entry.cost, costOf(price, tokens));
    return {
      entry: { ...entry, state: 'estimated', tokens, cost },
      reserved: amountOf(entry),
      budgets: budgetsOf(budgets, entry),
    };
  }
}

function isFull({ budget, settled, reserved }: CounterView): boolean {
  const { tokens, cost } = budget;
  return (
    (tokens !== null && settled.tokens + reserved.tokens >= tokens) ||
    (cost !== null && settled.cost + reserved.cost >= cost)
  );
}
