import { Column, Entity, Index, PrimaryGeneratedColumn, Unique } from '../typeorm.js';

/** A plan by which runs begin. Times are milliseconds since the epoch. */
@Entity({ name: 'schedules' })
@Unique('uq_schedules', ['id'])
@Index('ix_schedules_owner', ['tenantId', 'userId', 'rowId'])
@Index('ix_schedules_due', ['dueAt', 'rowId'], { where: 'due_at IS NOT NULL' })
export class ScheduleEntity {
  @PrimaryGeneratedColumn('increment', { name: 'no', type: 'integer', primaryKeyConstraintName: 'pk_schedules' })
  rowId!: number;

  /** Random, or a hash of the agent for one that is declared in code. */
  @Column('varchar', { name: 'id', length: 64 })
  id!: string;

  @Column('varchar', { name: 'tenant_id', length: 128 })
  tenantId!: string;

  /** The user that the runs belong to. */
  @Column('varchar', { name: 'user_id', length: 256 })
  userId!: string;

  @Column('varchar', { name: 'name', length: 256 })
  name!: string;

  /** JSON of a `Plan`. */
  @Column('text', { name: 'plan' })
  plan!: string;

  @Column('varchar', { name: 'timezone', length: 64 })
  timezone!: string;

  @Column('varchar', { name: 'agent', length: 256 })
  agent!: string;

  /** JSON: a text, or messages. */
  @Column('text', { name: 'input' })
  input!: string;

  @Column('varchar', { name: 'session', length: 256 })
  session!: string;

  @Column('varchar', { name: 'overlap', length: 16 })
  overlap!: string;

  @Column('varchar', { name: 'catch_up', length: 16 })
  catchUp!: string;

  @Column('integer', { name: 'jitter_seconds', default: 0 })
  jitterSeconds!: number;

  @Column('bigint', { name: 'expires_at', nullable: true })
  expiresAt!: number | null;

  /** 1 or 0. */
  @Column('integer', { name: 'enabled', default: 1 })
  enabled!: number;

  /** JSON object. */
  @Column('text', { name: 'metadata', nullable: true })
  metadata!: string | null;

  /** JSON object. */
  @Column('text', { name: 'model_options', nullable: true })
  modelOptions!: string | null;

  /** JSON of an `Authority`; null without authentication. */
  @Column('text', { name: 'authority', nullable: true })
  authority!: string | null;

  /** `api` or `code`. */
  @Column('varchar', { name: 'origin', length: 16 })
  origin!: string;

  @Column('varchar', { name: 'suspended_reason', length: 512, nullable: true })
  suspendedReason!: string | null;

  @Column('bigint', { name: 'created_at' })
  createdAt!: number;

  @Column('bigint', { name: 'anchor_at' })
  anchorAt!: number;

  @Column('bigint', { name: 'next_at', nullable: true })
  nextAt!: number | null;

  /** By the clock of the database: the next planned time with its jitter, the end of a pause, or of a process's turn. */
  @Column('bigint', { name: 'due_at', nullable: true })
  dueAt!: number | null;

  @Column('varchar', { name: 'last_run_id', length: 128, nullable: true })
  lastRunId!: string | null;

  @Column('bigint', { name: 'last_at', nullable: true })
  lastAt!: number | null;
}
