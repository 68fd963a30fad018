import { Column, Entity, Index, PrimaryColumn } from '../typeorm.js';

/**
 * What one model call of a run used, or has reserved. It outlives its run. Costs are in billionths, times in milliseconds
 * since the epoch.
 */
@Entity({ name: 'usage_entries' })
@Index('ix_usage_entries_at', ['tenantId', 'at'])
@Index('ix_usage_entries_day', ['tenantId', 'day', 'userId'])
@Index('ix_usage_entries_run', ['tenantId', 'runId'])
@Index('ix_usage_entries_reserved', ['runRowId'], { where: `state = 'reserved'` })
export class UsageEntryEntity {
  @PrimaryColumn('integer', { name: 'run_no', primaryKeyConstraintName: 'pk_usage_entries' })
  runRowId!: number;

  /** The key of the step in the journal. */
  @PrimaryColumn('varchar', { name: 'step', length: 256, primaryKeyConstraintName: 'pk_usage_entries' })
  step!: string;

  /** Under which the call was made: a step that is done again is another entry. */
  @PrimaryColumn('integer', { name: 'fence', primaryKeyConstraintName: 'pk_usage_entries' })
  fence!: number;

  @Column('varchar', { name: 'tenant_id', length: 128 })
  tenantId!: string;

  @Column('varchar', { name: 'user_id', length: 256 })
  userId!: string;

  @Column('varchar', { name: 'run_id', length: 128 })
  runId!: string;

  /** The first run of the chain. */
  @Column('integer', { name: 'root_run_no' })
  rootRunRowId!: number;

  @Column('varchar', { name: 'agent', length: 128 })
  agent!: string;

  /** Of the API key that started the run; empty without one. */
  @Column('varchar', { name: 'account', length: 64, default: '' })
  account!: string;

  @Column('varchar', { name: 'model', length: 200 })
  model!: string;

  @Column('varchar', { name: 'provider', length: 64, default: '' })
  provider!: string;

  /** `reserved`, `settled`, `estimated` or `released`. */
  @Column('varchar', { name: 'state', length: 16 })
  state!: string;

  /** Those of a reservation are estimated. */
  @Column('bigint', { name: 'input_tokens' })
  inputTokens!: number;

  /** Part of `input_tokens`. */
  @Column('bigint', { name: 'cached_tokens', default: 0 })
  cachedTokens!: number;

  /** Of a reservation: the most that the answer may have. */
  @Column('bigint', { name: 'output_tokens' })
  outputTokens!: number;

  /** Part of `output_tokens`. */
  @Column('bigint', { name: 'reasoning_tokens', default: 0 })
  reasoningTokens!: number;

  @Column('bigint', { name: 'cost' })
  cost!: number;

  /** The `PriceEntity` that it is priced with; null without one. */
  @Column('integer', { name: 'price_no', nullable: true })
  priceRowId!: number | null;

  /** The day in the time zone of the tenant, such as `2026-11-26`: the periods of budgets follow from it. */
  @Column('varchar', { name: 'day', length: 10 })
  day!: string;

  /** When the call was reserved, or settled if it was not. */
  @Column('bigint', { name: 'at' })
  at!: number;

  /** Null while it is reserved. */
  @Column('bigint', { name: 'settled_at', nullable: true })
  settledAt!: number | null;
}
