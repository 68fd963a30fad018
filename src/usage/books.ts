import { Injectable } from '@nestjs/common';
import { Clock, DEFAULT_TIME_ZONE, LookupCache, resolveTimeZone } from '../common/index.js';
import type { Budget } from './budget.js';
import type { Price } from './price.js';
import { BudgetStore } from './ports/budget-store.js';
import { PriceStore } from './ports/price-store.js';
import { UsageSettings } from './usage.settings.js';

/** What other processes have changed is known before it is as old as the 5 s that are allowed. */
const CACHE = { maxAgeMs: 4000, maxEntries: 10_000 };

/** The prices and budgets of a tenant. */
export interface Book {
  readonly prices: readonly Price[];
  readonly budgets: readonly Budget[];
  /** In which its days and months begin. */
  readonly timeZone: string;
  /** False: calls are not booked. */
  readonly isOn: boolean;
}

/** The prices and budgets of tenants, not older than 5 s. */
@Injectable()
export class Books {
  private readonly cache: LookupCache<Book>;

  constructor(
    private readonly prices: PriceStore,
    private readonly budgets: BudgetStore,
    private readonly settings: UsageSettings,
    clock: Clock,
  ) {
    this.cache = new LookupCache(clock, CACHE);
  }

  /** @throws the driver's error: what a budget says must be known */
  of(tenantId: string): Book | Promise<Book> {
    return this.cache.get(tenantId) ?? this.cache.load(tenantId, () => this.read(tenantId));
  }

  /** The newest that is known, however old it is; undefined if nothing was read yet. */
  newest(tenantId: string): Book | undefined {
    return this.cache.newest(tenantId);
  }

  /** Makes a change of this process count at once. */
  forget(tenantId: string): void {
    this.cache.forget(tenantId);
  }

  private async read(tenantId: string): Promise<Book> {
    const [prices, budgets] = await Promise.all([this.prices.list(tenantId), this.budgets.list(tenantId)]);
    const isOn = this.settings.entries === 'always' || prices.length > 0 || budgets.length > 0;
    const timeZone = isOn ? resolveTimeZone([await this.budgets.timeZone(tenantId)]) : DEFAULT_TIME_ZONE;
    return { prices, budgets, timeZone, isOn };
  }
}
