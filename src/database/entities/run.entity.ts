import { Column, Entity, Index, PrimaryGeneratedColumn, Unique } from 'typeorm';

/**
 * A run. `no` is the key inside the database (a small integer keeps the event index cheap); `id` is
 * what clients see, unique within the tenant. Times are milliseconds since the epoch.
 */
@Entity({ name: 'runs' })
@Unique('uq_runs_tenant_id', ['tenantId', 'id'])
@Unique('uq_runs_session_ordinal', ['sessionNo', 'ordinal'])
@Index('ix_runs_status', ['status', 'no'])
export class RunEntity {
  @PrimaryGeneratedColumn('increment', { name: 'no', type: 'integer', primaryKeyConstraintName: 'pk_runs' })
  no!: number;

  @Column('varchar', { name: 'id', length: 128 })
  id!: string;

  @Column('varchar', { name: 'tenant_id', length: 128 })
  tenantId!: string;

  @Column('varchar', { name: 'user_id', length: 256 })
  userId!: string;

  @Column('varchar', { name: 'session_id', length: 256 })
  sessionId!: string;

  @Column('integer', { name: 'session_no' })
  sessionNo!: number;

  /** 1, 2, 3 … within the session: the order of execution. */
  @Column('integer', { name: 'ordinal' })
  ordinal!: number;

  @Column('varchar', { name: 'agent_type', length: 128 })
  agentType!: string;

  @Column('varchar', { name: 'status', length: 16 })
  status!: string;

  /** What the run needs beside its messages: JSON of a `StoredRequest`. */
  @Column('text', { name: 'request' })
  request!: string;

  /** SHA-256 of the normalised request: tells a repeated request from a conflicting one. */
  @Column('varchar', { name: 'fingerprint', length: 64 })
  fingerprint!: string;

  /** How often execution was begun. */
  @Column('integer', { name: 'attempt', default: 0 })
  attempt!: number;

  /** Grows with every change of owner; a write with an old fence writes nothing. */
  @Column('integer', { name: 'fence', default: 0 })
  fence!: number;

  @Column('varchar', { name: 'lease_owner', length: 256, nullable: true })
  leaseOwner!: string | null;

  @Column('bigint', { name: 'lease_until', default: 0 })
  leaseUntil!: number;

  @Column('bigint', { name: 'cancel_requested_at', nullable: true })
  cancelRequestedAt!: number | null;

  /** The number the next event gets: how many are committed. */
  @Column('integer', { name: 'next_seq', default: 0 })
  nextSeq!: number;

  /** JSON of an `ErrorModel`. */
  @Column('text', { name: 'error', nullable: true })
  error!: string | null;

  /** JSON of a `Usage`. */
  @Column('text', { name: 'usage', nullable: true })
  usage!: string | null;

  @Column('bigint', { name: 'created_at' })
  createdAt!: number;

  @Column('bigint', { name: 'started_at', nullable: true })
  startedAt!: number | null;

  @Column('bigint', { name: 'finished_at', nullable: true })
  finishedAt!: number | null;
}
