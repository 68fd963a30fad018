import { Column, Entity, PrimaryColumn } from '../typeorm.js';

/** The sums of entries of `usage_entries` that are older than `USAGE_RETENTION`. Costs are in billionths. */
@Entity({ name: 'usage_days' })
export class UsageDayEntity {
  @PrimaryColumn('varchar', { name: 'tenant_id', length: 128, primaryKeyConstraintName: 'pk_usage_days' })
  tenantId!: string;

  /** In the time zone of the tenant, such as `2026-11-26`. */
  @PrimaryColumn('varchar', { name: 'day', length: 10, primaryKeyConstraintName: 'pk_usage_days' })
  day!: string;

  @PrimaryColumn('varchar', { name: 'user_id', length: 256, primaryKeyConstraintName: 'pk_usage_days' })
  userId!: string;

  @PrimaryColumn('varchar', { name: 'agent', length: 128, primaryKeyConstraintName: 'pk_usage_days' })
  agent!: string;

  /** Empty without one. */
  @PrimaryColumn('varchar', { name: 'account', length: 64, primaryKeyConstraintName: 'pk_usage_days' })
  account!: string;

  @PrimaryColumn('varchar', { name: 'model', length: 200, primaryKeyConstraintName: 'pk_usage_days' })
  model!: string;

  /** Runs with a call of these values on this day. */
  @Column('integer', { name: 'runs' })
  runs!: number;

  @Column('integer', { name: 'calls' })
  calls!: number;

  @Column('bigint', { name: 'input_tokens' })
  inputTokens!: number;

  @Column('bigint', { name: 'cached_tokens' })
  cachedTokens!: number;

  @Column('bigint', { name: 'output_tokens' })
  outputTokens!: number;

  @Column('bigint', { name: 'reasoning_tokens' })
  reasoningTokens!: number;

  /** Input and output of the calls that were estimated. */
  @Column('bigint', { name: 'estimated_tokens' })
  estimatedTokens!: number;

  @Column('bigint', { name: 'cost' })
  cost!: number;
}
