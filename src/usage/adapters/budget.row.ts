import type { BudgetEntity } from '../../database/index.js';
import type { Budget, BudgetAction, BudgetSubject, BudgetWindow } from '../budget.js';

/** A row of `budgets`, from TypeORM or under the names of `BUDGET_COLUMNS`. Its large numbers may be texts. */
export type BudgetRow = Readonly<BudgetEntity>;

/** The columns of a budget `b`. */
export const BUDGET_COLUMNS = `b.no AS "rowId", b.id AS "id", b.tenant_id AS "tenantId", b.subject AS "subject",
  b.name AS "name", b.time_window AS "window", b.tokens AS "tokens", b.cost AS "cost", b.action AS "action",
  b.warn_at AS "warnAt", b.created_at AS "createdAt", b.updated_at AS "updatedAt"`;

/** A row as the budget that the rest of the code uses. */
export function budgetOf(row: BudgetRow): Budget {
  return {
    rowId: row.rowId,
    id: row.id,
    tenantId: row.tenantId,
    subject: row.subject as BudgetSubject,
    name: row.name,
    window: row.window as BudgetWindow,
    tokens: row.tokens === null ? null : Number(row.tokens),
    cost: row.cost === null ? null : Number(row.cost),
    action: row.action as BudgetAction,
    warnAt: JSON.parse(row.warnAt) as number[],
    createdAt: Number(row.createdAt),
    updatedAt: Number(row.updatedAt),
  };
}
