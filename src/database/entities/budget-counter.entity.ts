import { Column, Entity, Index, PrimaryColumn } from '../typeorm.js';

/**
 * How much of a budget is used in one period: always the sums over the entries of `usage_entries` that it is for. A missing
 * row is made from them. Costs are in billionths, times in milliseconds since the epoch.
 */
@Entity({ name: 'budget_counters' })
@Index('ix_budget_counters_tenant', ['tenantId', 'budgetRowId'])
export class BudgetCounterEntity {
  @PrimaryColumn('integer', { name: 'budget_no', primaryKeyConstraintName: 'pk_budget_counters' })
  budgetRowId!: number;

  /** The subject: a user, an agent or an account; `*` for the tenant. */
  @PrimaryColumn('varchar', { name: 'name', length: 256, primaryKeyConstraintName: 'pk_budget_counters' })
  name!: string;

  /** Such as `2026-11-26`, `2026-11`, `total`, or `run:17` for the chain of a run. */
  @PrimaryColumn('varchar', { name: 'period', length: 32, primaryKeyConstraintName: 'pk_budget_counters' })
  period!: string;

  @Column('varchar', { name: 'tenant_id', length: 128 })
  tenantId!: string;

  @Column('bigint', { name: 'settled_tokens', default: 0 })
  settledTokens!: number;

  @Column('bigint', { name: 'settled_cost', default: 0 })
  settledCost!: number;

  @Column('bigint', { name: 'reserved_tokens', default: 0 })
  reservedTokens!: number;

  @Column('bigint', { name: 'reserved_cost', default: 0 })
  reservedCost!: number;

  /** The greatest percentage of `warn_at` that was reached and announced. */
  @Column('integer', { name: 'warned', default: 0 })
  warned!: number;

  /** 1 once it was announced that the budget is used up. */
  @Column('integer', { name: 'exceeded', default: 0 })
  exceeded!: number;

  /** When the sums are made again, because other processes did not know the budget when the row was made; null: never. */
  @Column('bigint', { name: 'recount_at', nullable: true })
  recountAt!: number | null;

  @Column('bigint', { name: 'updated_at' })
  updatedAt!: number;
}
