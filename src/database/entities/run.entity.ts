import { Column, Entity, Index, PrimaryGeneratedColumn, Unique } from '../typeorm.js';

/**
 * A run. `no` is the key inside the database (a small integer keeps the event index cheap); `id` is
 * what clients see, unique for each user of a tenant. Times are milliseconds since the epoch.
 */
@Entity({ name: 'runs' })
// In this order the index also finds the runs of all users of a tenant that have an id.
@Unique('uq_runs_owner_id', ['tenantId', 'id', 'userId'])
@Unique('uq_runs_session_ordinal', ['sessionRowId', 'ordinal'])
@Index('ix_runs_queued', ['rowId'], { where: `status = 'queued'` })
@Index('ix_runs_place', ['place', 'rowId'], { where: `status = 'queued'` })
@Index('ix_runs_active_owner', ['tenantId', 'userId'], { where: `status IN ('queued', 'running')` })
@Index('ix_runs_lease', ['leaseUntil', 'rowId'], { where: `status = 'running'` })
@Index('ix_runs_lease_owner', ['leaseOwner'], { where: `status = 'running'` })
@Index('ix_runs_active', ['sessionRowId', 'ordinal'], { where: `status IN ('queued', 'running')` })
@Index('ux_runs_session_key', ['sessionRowId', 'runKey'], { unique: true, where: 'run_key IS NOT NULL' })
// The runs of a tenant's users with a client's own id.
@Index('ix_runs_tenant_key', ['tenantId', 'runKey', 'userId'], { where: 'run_key IS NOT NULL' })
@Index('ix_runs_uncompacted', ['finishedAt'], {
  where: 'finished_at IS NOT NULL AND compacted_at IS NULL AND events_pruned_at IS NULL',
})
@Index('ix_runs_unpruned', ['finishedAt'], { where: 'finished_at IS NOT NULL AND events_pruned_at IS NULL' })
@Index('ix_runs_tenant_unpruned', ['tenantId', 'finishedAt'], {
  where: 'finished_at IS NOT NULL AND events_pruned_at IS NULL',
})
// Lists of the runs of a user, of a tenant, and of a tenant with one status, newest first.
@Index('ix_runs_owner_created', ['tenantId', 'userId', 'createdAt', 'rowId'])
@Index('ix_runs_tenant_created', ['tenantId', 'createdAt', 'rowId'])
@Index('ix_runs_tenant_status_created', ['tenantId', 'status', 'createdAt', 'rowId'])
// The runs of a chain behind its first one.
@Index('ix_runs_root', ['tenantId', 'rootRunId', 'userId', 'ordinal'], { where: 'root_run_id IS NOT NULL' })
@Index('ix_runs_tenant_ended', ['tenantId', 'finishedAt'], { where: 'finished_at IS NOT NULL' })
export class RunEntity {
  /** The key inside the database, never shown to clients. */
  @PrimaryGeneratedColumn('increment', { name: 'no', type: 'integer', primaryKeyConstraintName: 'pk_runs' })
  rowId!: number;

  /** The id that clients see, unique for each user of a tenant. */
  @Column('varchar', { name: 'id', length: 128 })
  id!: string;

  @Column('varchar', { name: 'tenant_id', length: 128 })
  tenantId!: string;

  /** The user that the run belongs to. */
  @Column('varchar', { name: 'user_id', length: 256 })
  userId!: string;

  /** The client's id of the session, repeated here so that reads of a run need no join. */
  @Column('varchar', { name: 'session_id', length: 256 })
  sessionId!: string;

  @Column('integer', { name: 'session_no' })
  sessionRowId!: number;

  /** 1, 2, 3 … within the session: the order of execution. */
  @Column('integer', { name: 'ordinal' })
  ordinal!: number;

  @Column('varchar', { name: 'agent_type', length: 128 })
  agentType!: string;

  @Column('varchar', { name: 'status', length: 16 })
  status!: string;

  /** What the run needs besides its messages: JSON of a `StoredRequest`. */
  @Column('text', { name: 'request' })
  request!: string;

  /** SHA-256 of the normalised request: distinguishes a repeated request from a conflicting one. */
  @Column('varchar', { name: 'fingerprint', length: 64 })
  fingerprint!: string;

  /** How often execution was started. */
  @Column('integer', { name: 'attempt', default: 0 })
  attempt!: number;

  /** Grows with every change of owner; a write with an old fence writes nothing. */
  @Column('integer', { name: 'fence', default: 0 })
  fence!: number;

  /** The process that executes the run; null while none does. */
  @Column('varchar', { name: 'lease_owner', length: 256, nullable: true })
  leaseOwner!: string | null;

  /** When the lease ends: another process may then take the run over. */
  @Column('bigint', { name: 'lease_until', default: 0 })
  leaseUntil!: number;

  /** When cancellation was first requested; null if it was not. */
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

  /** When the first attempt began; null while the run is queued. */
  @Column('bigint', { name: 'started_at', nullable: true })
  startedAt!: number | null;

  /** When the terminal event was committed; null before. */
  @Column('bigint', { name: 'finished_at', nullable: true })
  finishedAt!: number | null;

  /** The wire that accepted the run. */
  @Column('varchar', { name: 'wire', length: 32, default: 'agent-api' })
  wire!: string;

  /** The client's id of the run where it is unique within the session only. */
  @Column('varchar', { name: 'run_key', length: 256, nullable: true })
  runKey!: string | null;

  /** The client's id of the run that this one follows. */
  @Column('varchar', { name: 'parent_run_id', length: 256, nullable: true })
  parentRunId!: string | null;

  /** Data that the wire stores with the run: a JSON object, opaque here. */
  @Column('text', { name: 'wire_data', default: '{}' })
  wireData!: string;

  /** A `RunVisibility`: `kept`, `transient` or `rolled_back`. */
  @Column('varchar', { name: 'keep', length: 16, default: 'kept' })
  visibility!: string;

  /** 1 when the session was created for this run. */
  @Column('integer', { name: 'created_session', default: 0 })
  createdSession!: number;

  /** JSON of the session's state before this run's request replaced it; null when it did not. */
  @Column('text', { name: 'state_before', nullable: true })
  stateBefore!: string | null;

  /** When the current attempt was claimed; null while the run is not executed. */
  @Column('bigint', { name: 'claimed_at', nullable: true })
  claimedAt!: number | null;

  /** Milliseconds that earlier attempts have used. */
  @Column('bigint', { name: 'used_ms', default: 0 })
  usedMs!: number;

  /** When the events before the terminal one were removed. */
  @Column('bigint', { name: 'events_pruned_at', nullable: true })
  eventsPrunedAt!: number | null;

  /** When the events were compacted; 0 if they could not be; null before, and on SQLite. */
  @Column('bigint', { name: 'compacted_at', nullable: true })
  compactedAt!: number | null;

  /** Summaries of the events, JSON by name; null before the compaction or the removal, and when none were kept. */
  @Column('text', { name: 'digests', nullable: true })
  retainedSummaries!: string | null;

  /** How many runs of its tenant had not ended when a run was queued, at most 1,000: the smallest come first. */
  @Column('integer', { name: 'place', default: 0 })
  place!: number;

  /** JSON of an `Authority`; null for a run that was started without authentication. */
  @Column('text', { name: 'authority', nullable: true })
  authority!: string | null;

  /** The first words of the input, for lists; null if it has none, and for runs that are not stored. */
  @Column('varchar', { name: 'input_text', length: 200, nullable: true })
  inputText!: string | null;

  /** As `inputText`, encrypted: `inputText` is empty then. Null if the content of the tenant is not encrypted. */
  @Column('text', { name: 'input_sealed', nullable: true })
  inputSealed!: string | null;

  /** The model that the request names, for lists; null if it names none. */
  @Column('varchar', { name: 'model', length: 200, nullable: true })
  model!: string | null;

  /** The model that made the newest answer, as its server names it; null before the run has ended, and if none did. */
  @Column('varchar', { name: 'answered_by', length: 200, nullable: true })
  answeredBy!: string | null;

  /** The id of the first run of the chain, of the same owner; null for a run that continues no other one. */
  @Column('varchar', { name: 'root_run_id', length: 128, nullable: true })
  rootRunId!: string | null;

  /** When what an interrupted run waits for was given up; null if it was not. */
  @Column('bigint', { name: 'closed_at', nullable: true })
  closedAt!: number | null;
}
