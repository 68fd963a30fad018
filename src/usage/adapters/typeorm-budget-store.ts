import { Injectable } from '@nestjs/common';
import { In, IsNull, Not } from 'typeorm';
import { AuditTrail } from '../../audit/index.js';
import type { JsonObject, Origin } from '../../common/index.js';
import { BudgetCounterEntity, BudgetEntity, Database, queryable, TenantEntity } from '../../database/index.js';
import { type Budget, type BudgetTerms, EACH } from '../budget.js';
import { BudgetStore } from '../ports/budget-store.js';
import { budgetOf } from './budget.row.js';

/** The name of the time zone among the settings of a tenant. */
const TIME_ZONE = 'timeZone';

/** Budgets in the server's database. */
@Injectable()
export class TypeOrmBudgetStore extends BudgetStore {
  constructor(
    private readonly database: Database,
    private readonly trail: AuditTrail,
  ) {
    super();
  }

  async list(tenantId: string): Promise<readonly Budget[]> {
    const rows = await this.database.read.manager.find(BudgetEntity, { where: { tenantId }, order: { rowId: 'ASC' } });
    return rows.map(budgetOf);
  }

  async limitsCosts(): Promise<boolean> {
    return this.database.read.manager.existsBy(BudgetEntity, { cost: Not(IsNull()) });
  }

  put(tenantId: string, id: string, terms: BudgetTerms, by: Origin, now: number): Promise<Budget> {
    return this.database.write(async (tx) => {
      const { manager } = queryable(tx);
      const { subject, name, window } = terms;
      const key = { tenantId, subject, name, window };
      const values = {
        tokens: terms.tokens,
        cost: terms.cost,
        action: terms.action,
        warnAt: JSON.stringify(terms.warnAt),
        updatedAt: now,
      };
      const row = { id, ...key, ...values, createdAt: now };
      await manager.createQueryBuilder().insert().into(BudgetEntity).values(row).orIgnore().execute();
      await manager.update(BudgetEntity, key, values);
      const budget = budgetOf(await manager.findOneByOrFail(BudgetEntity, key));
      // What was announced for the earlier limits may become true again.
      await manager.update(BudgetCounterEntity, { budgetRowId: budget.rowId }, { warned: 0, exceeded: 0 });
      if (budget.createdAt === now) await this.forgetReplaced(tx, budget);
      await this.record(tx, budget, by, budget.createdAt === now ? 'added' : 'replaced');
      return budget;
    });
  }

  remove(tenantId: string, id: string, by: Origin): Promise<Budget | undefined> {
    return this.database.write(async (tx) => {
      const { manager } = queryable(tx);
      const row = await manager.findOneBy(BudgetEntity, { tenantId, id });
      if (!row) return undefined;
      const budget = budgetOf(row);
      await manager.delete(BudgetEntity, { rowId: budget.rowId });
      await manager.delete(BudgetCounterEntity, { budgetRowId: budget.rowId });
      await this.forgetReplaced(tx, budget);
      await this.record(tx, budget, by, 'removed');
      return budget;
    });
  }

  async timeZone(tenantId: string): Promise<string | undefined> {
    const tenant = await this.database.read.manager.findOneBy(TenantEntity, { id: tenantId });
    const zone = tenant && settingsOf(tenant)[TIME_ZONE];
    return typeof zone === 'string' ? zone : undefined;
  }

  setTimeZone(tenantId: string, timeZone: string, by: Origin, now: number): Promise<boolean> {
    return this.database.write(async (tx) => {
      const sql = queryable(tx);
      const lock = sql.dialect === 'postgres' ? ' FOR UPDATE' : '';
      const [tenant] = await sql.all<{ settings: string }>(`SELECT settings FROM tenants WHERE id = ?${lock}`, [
        tenantId,
      ]);
      if (!tenant) return false;
      const settings = JSON.stringify({ ...settingsOf(tenant), [TIME_ZONE]: timeZone });
      await sql.manager.update(TenantEntity, { id: tenantId }, { settings, updatedAt: now });
      const subject = { kind: 'tenant', id: tenantId } as const;
      await this.trail.write(tx, { tenantId, action: 'tenant.changed', by, subject, details: { timeZone } });
      return true;
    });
  }

  /** The name of a user is not among the details. */
  private async record(
    tx: Parameters<typeof queryable>[0],
    { id, tenantId, subject, name, window, tokens, cost, action, warnAt }: Budget,
    by: Origin,
    change: 'added' | 'replaced' | 'removed',
  ): Promise<void> {
    const whose = subject === 'user' && name !== EACH ? null : name;
    const details = { change, subject, name: whose, window, tokens, cost, action, warnAt: [...warnAt] };
    await this.trail.write(tx, { tenantId, action: 'budget.changed', by, subject: { kind: 'budget', id }, details });
  }

  /**
   * A budget of a subject's own takes the place of the one for each, and the other way round when it is removed: the other
   * one's counters of the subject are made anew when they count again.
   */
  private async forgetReplaced(
    tx: Parameters<typeof queryable>[0],
    { tenantId, subject, name, window }: Budget,
  ): Promise<void> {
    if (name === EACH) return;
    const { manager } = queryable(tx);
    const others = await manager.findBy(BudgetEntity, { tenantId, subject, name: EACH, window });
    if (others.length === 0) return;
    await manager.delete(BudgetCounterEntity, { budgetRowId: In(others.map(({ rowId }) => rowId)), name });
  }
}

function settingsOf({ settings }: Pick<TenantEntity, 'settings'>): JsonObject {
  return JSON.parse(settings) as JsonObject;
}
