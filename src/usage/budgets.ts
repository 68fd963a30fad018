import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { AppError, Clock, IdFactory, isStorable, isTimeZone, type Origin, timeZoneName } from '../common/index.js';
import {
  type Budget,
  BUDGET_ACTIONS,
  BUDGET_SUBJECTS,
  BUDGET_WINDOWS,
  type BudgetTerms,
  dayOf,
  EACH,
  periodOf,
  resetOf,
} from './budget.js';
import { Books } from './books.js';
import { BudgetStore } from './ports/budget-store.js';
import { type CounterView, UsageLedger } from './ports/usage-ledger.js';
import { NOTHING_USED } from './usage-entry.js';

const limit = z.int().min(1).max(Number.MAX_SAFE_INTEGER).nullish();
const BUDGET = z
  .strictObject({
    subject: z.enum(BUDGET_SUBJECTS),
    name: z.string().min(1).max(256).refine(isStorable, 'must not contain control characters').optional(),
    window: z.enum(BUDGET_WINDOWS),
    tokens: limit,
    cost: limit,
    action: z.enum(BUDGET_ACTIONS).optional(),
    warnAt: z.array(z.int().min(1).max(100)).max(10).optional(),
  })
  .refine(({ tokens, cost }) => typeof tokens === 'number' || typeof cost === 'number', {
    message: 'tokens or cost must be given',
  })
  .refine(({ subject, name = EACH }) => subject !== 'tenant' || name === EACH, {
    path: ['name'],
    message: 'must be * or absent for the tenant',
  });

/** Percentages that are announced if a budget names none. */
const WARN_AT = [80];

/** Reads a budget. @throws AppError INVALID_PARAMETER that names what is wrong */
function readBudget(value: unknown): BudgetTerms {
  const { success, data, error } = BUDGET.safeParse(value);
  if (!success) {
    const details = error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
    const [first] = details;
    const where = first && first.path !== '' ? `${first.path}: ` : '';
    throw new AppError('INVALID_PARAMETER', `The budget is not valid: ${where}${first?.message ?? ''}`, { details });
  }
  return {
    subject: data.subject,
    name: data.name ?? EACH,
    window: data.window,
    tokens: data.tokens ?? null,
    cost: data.cost ?? null,
    action: data.action ?? 'block',
    warnAt: [...new Set(data.warnAt ?? WARN_AT)].sort((a, b) => a - b),
  };
}

/** A budget in its present period, of one subject. */
export interface BudgetState extends CounterView {
  /** When the period ends, in milliseconds since the epoch; null if it does not. */
  readonly resetsAt: number | null;
}

/** The budgets of tenants (contract access, section 7). */
@Injectable()
export class Budgets {
  constructor(
    private readonly store: BudgetStore,
    private readonly books: Books,
    private readonly ledger: UsageLedger,
    private readonly clock: Clock,
    private readonly ids: IdFactory,
  ) {}

  /** In the order of their creation. */
  list(tenantId: string): Promise<readonly Budget[]> {
    return this.store.list(tenantId);
  }

  /**
   * Adds a budget, or replaces the one with the same subject, name and window: at once in this process, within 5 s in all
   * others. What was used in the present period counts.
   *
   * @throws AppError INVALID_PARAMETER that names what is wrong
   */
  async put(tenantId: string, value: unknown, by: Origin): Promise<Budget> {
    const id = this.ids.next('budget_');
    const budget = await this.store.put(tenantId, id, readBudget(value), by, this.clock.now());
    this.books.forget(tenantId);
    return budget;
  }

  /** @throws AppError RESOURCE_NOT_FOUND */
  async remove(tenantId: string, id: string, by: Origin): Promise<Budget> {
    const budget = await this.store.remove(tenantId, id, by);
    if (!budget) throw new AppError('RESOURCE_NOT_FOUND', 'There is no such budget');
    this.books.forget(tenantId);
    return budget;
  }

  /** In which the days and months of a tenant begin. */
  async timeZone(tenantId: string): Promise<string> {
    const zone = await this.store.timeZone(tenantId);
    return (zone === undefined ? undefined : timeZoneName(zone)) ?? 'UTC';
  }

  /** @throws AppError INVALID_PARAMETER, RESOURCE_NOT_FOUND */
  async setTimeZone(tenantId: string, timeZone: unknown, by: Origin): Promise<string> {
    if (!isTimeZone(timeZone)) {
      const message = 'timeZone must be the name of an IANA time zone, such as Europe/Berlin';
      throw new AppError('INVALID_PARAMETER', message, { details: [{ path: 'timeZone', message }] });
    }
    const name = timeZoneName(timeZone) ?? timeZone;
    const isSet = await this.store.setTimeZone(tenantId, name, by, this.clock.now());
    if (!isSet) throw new AppError('RESOURCE_NOT_FOUND', 'The tenant does not exist');
    this.books.forget(tenantId);
    return name;
  }

  /**
   * What is used of the budgets in their present periods. Those of single runs are left out.
   *
   * @param userId only the budgets of this user; undefined for all of the tenant
   */
  async states(tenantId: string, userId?: string): Promise<readonly BudgetState[]> {
    const [budgets, timeZone] = await Promise.all([this.store.list(tenantId), this.timeZone(tenantId)]);
    const shown = budgets.filter(
      (budget) => budget.window !== 'run' && (userId === undefined || isOf(budget, userId, budgets)),
    );
    const day = dayOf(this.clock.now(), timeZone);
    const periods = [...new Set(shown.map(({ window }) => periodOf(window, { day, rootRunRowId: 0 })))];
    const counters = await this.ledger.countersOf(shown, periods);
    return shown.flatMap((budget) => {
      const period = periodOf(budget.window, { day, rootRunRowId: 0 });
      const own = counters.filter(
        (counter) =>
          counter.budget.rowId === budget.rowId &&
          counter.period === period &&
          (userId === undefined || counter.name === userId) &&
          (budget.name === EACH ? budget.subject === 'tenant' || !hasOwn(budgets, budget, counter.name) : true),
      );
      const unused = {
        budget,
        name: userId ?? budget.name,
        period,
        settled: NOTHING_USED,
        reserved: NOTHING_USED,
      };
      const resetsAt = resetOf(budget.window, day, timeZone);
      return (own.length > 0 ? own : [unused]).map((counter) => ({ ...counter, resetsAt }));
    });
  }
}

/** The budgets that a user is shown: those of the user alone. */
function isOf(budget: Budget, userId: string, all: readonly Budget[]): boolean {
  if (budget.subject !== 'user') return false;
  return budget.name === userId || (budget.name === EACH && !hasOwn(all, budget, userId));
}

function hasOwn(all: readonly Budget[], { subject, window }: Budget, name: string): boolean {
  return all.some((other) => other.subject === subject && other.window === window && other.name === name);
}
