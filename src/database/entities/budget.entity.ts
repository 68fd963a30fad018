import { Column, Entity, PrimaryGeneratedColumn, Unique } from '../typeorm.js';

/** How much a tenant, user, agent or account may use. Costs are in billionths, times in milliseconds since the epoch. */
@Entity({ name: 'budgets' })
@Unique('uq_budgets_id', ['tenantId', 'id'])
@Unique('uq_budgets_subject', ['tenantId', 'subject', 'name', 'window'])
export class BudgetEntity {
  @PrimaryGeneratedColumn('increment', { name: 'no', type: 'integer', primaryKeyConstraintName: 'pk_budgets' })
  rowId!: number;

  @Column('varchar', { name: 'id', length: 64 })
  id!: string;

  @Column('varchar', { name: 'tenant_id', length: 128 })
  tenantId!: string;

  /** `tenant`, `user`, `agent` or `account`. */
  @Column('varchar', { name: 'subject', length: 16 })
  subject!: string;

  /** `*`: each subject of the kind that has no budget of its own for the window. */
  @Column('varchar', { name: 'name', length: 256 })
  name!: string;

  /** `run`, `day`, `month` or `total`. */
  @Column('varchar', { name: 'time_window', length: 8 })
  window!: string;

  /** Null: no limit of tokens. */
  @Column('bigint', { name: 'tokens', nullable: true })
  tokens!: number | null;

  /** Null: no limit of the cost. */
  @Column('bigint', { name: 'cost', nullable: true })
  cost!: number | null;

  /** `block` or `warn`. */
  @Column('varchar', { name: 'action', length: 8 })
  action!: string;

  /** JSON array of percentages, ascending. */
  @Column('text', { name: 'warn_at' })
  warnAt!: string;

  @Column('bigint', { name: 'created_at' })
  createdAt!: number;

  @Column('bigint', { name: 'updated_at' })
  updatedAt!: number;
}
