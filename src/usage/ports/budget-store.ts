import type { Origin } from '../../common/index.js';
import type { Budget, BudgetTerms } from '../budget.js';

/** The budgets of tenants, and the time zone in which their days begin. Each change is a line of the audit trail. */
export abstract class BudgetStore {
  /** In the order of their creation. @throws the driver's error */
  abstract list(tenantId: string): Promise<readonly Budget[]>;

  /** All budgets that limit costs, of all tenants: whether there is one. */
  abstract limitsCosts(): Promise<boolean>;

  /**
   * Adds a budget, or replaces the terms of the one with the same subject, name and window. Counters that begin or cease
   * to count because of it are removed: they are made from the entries when they are needed.
   */
  abstract put(tenantId: string, id: string, terms: BudgetTerms, by: Origin, now: number): Promise<Budget>;

  /** Removes a budget and its counters. Returns it; undefined if there is none. */
  abstract remove(tenantId: string, id: string, by: Origin): Promise<Budget | undefined>;

  /** The time zone of a tenant; undefined if it has none of its own. */
  abstract timeZone(tenantId: string): Promise<string | undefined>;

  /** Sets the time zone of a tenant: days that have begun end by the new one. Returns false without such a tenant. */
  abstract setTimeZone(tenantId: string, timeZone: string, by: Origin, now: number): Promise<boolean>;
}
