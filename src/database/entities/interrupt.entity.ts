import { Column, Entity, Index, PrimaryGeneratedColumn, Unique } from '../typeorm.js';

/**
 * An interrupt: the approval of one tool call of a run, or an input that an agent asked for.
 * Answered at most once. Times are milliseconds since the epoch.
 */
@Entity({ name: 'interrupts' })
@Unique('uq_interrupts_tenant_id', ['tenantId', 'id'])
@Index('ix_interrupts_session', ['sessionRowId', 'status'])
@Index('ix_interrupts_expiry', ['status', 'expiresAt'])
@Index('ix_interrupts_tenant_status', ['tenantId', 'status', 'rowId'])
@Index('ix_interrupts_owner_status', ['tenantId', 'userId', 'status', 'rowId'])
@Index('ix_interrupts_tenant_session', ['tenantId', 'sessionId', 'rowId'])
@Index('ix_interrupts_tenant_run', ['tenantId', 'runId'])
export class InterruptEntity {
  /** The key inside the database, never shown to clients. */
  @PrimaryGeneratedColumn('increment', { name: 'no', type: 'integer', primaryKeyConstraintName: 'pk_interrupts' })
  rowId!: number;

  /** The id that clients see, unique within the tenant. */
  @Column('varchar', { name: 'id', length: 128 })
  id!: string;

  @Column('varchar', { name: 'tenant_id', length: 128 })
  tenantId!: string;

  /** The user who may answer it. */
  @Column('varchar', { name: 'user_id', length: 256 })
  userId!: string;

  @Column('integer', { name: 'session_no' })
  sessionRowId!: number;

  @Column('varchar', { name: 'session_id', length: 256 })
  sessionId!: string;

  /** The run that opened it. */
  @Column('integer', { name: 'run_no' })
  runRowId!: number;

  @Column('varchar', { name: 'run_id', length: 128 })
  runId!: string;

  /** The first run of the chain in which each run resumes the one before. */
  @Column('integer', { name: 'root_run_no' })
  rootRunNo!: number;

  /** The run that waits for the answer: the one that opened it, or a later one that found it unanswered. */
  @Column('integer', { name: 'waiting_run_no' })
  waitingRunRowId!: number;

  /** `approval` or `input`. */
  @Column('varchar', { name: 'kind', length: 16 })
  kind!: string;

  /** `pending`, `approved`, `denied`, `answered`, `cancelled` or `expired`. */
  @Column('varchar', { name: 'status', length: 16 })
  status!: string;

  /** The id of the tool call that waits for approval; null for an input. */
  @Column('varchar', { name: 'call_id', length: 256, nullable: true })
  callId!: string | null;

  /** Which of an agent's inputs it is. */
  @Column('varchar', { name: 'input_key', length: 256, nullable: true })
  inputKey!: string | null;

  /** The tool of the call; null for an input. */
  @Column('varchar', { name: 'tool_name', length: 256, nullable: true })
  toolName!: string | null;

  /** JSON text as the model wrote it. */
  @Column('text', { name: 'arguments', nullable: true })
  arguments!: string | null;

  /** SHA-256 of the name and the arguments that the approval is for. */
  @Column('varchar', { name: 'arguments_hash', length: 64, nullable: true })
  argumentsHash!: string | null;

  /** The label of the MCP server that has the tool; null for other tools. */
  @Column('varchar', { name: 'server_label', length: 256, nullable: true })
  serverLabel!: string | null;

  @Column('text', { name: 'reason', nullable: true })
  reason!: string | null;

  @Column('text', { name: 'message', nullable: true })
  message!: string | null;

  /** JSON Schema of the input. */
  @Column('text', { name: 'response_schema', nullable: true })
  responseSchema!: string | null;

  /** 1 when an approval may come with other arguments. */
  @Column('integer', { name: 'may_edit', default: 0 })
  mayEdit!: number;

  /** The decision, JSON. */
  @Column('text', { name: 'decision', nullable: true })
  decision!: string | null;

  /** The run that resumed with the answer. */
  @Column('integer', { name: 'resumed_by_run_no', nullable: true })
  resumedByRunNo!: number | null;

  /** The id of that run, as clients see it. */
  @Column('varchar', { name: 'resumed_by_run_id', length: 128, nullable: true })
  resumedByRunId!: string | null;

  @Column('bigint', { name: 'created_at' })
  createdAt!: number;

  /** When it can no longer be answered; null if it never expires. */
  @Column('bigint', { name: 'expires_at', nullable: true })
  expiresAt!: number | null;

  /** When it was answered; null while it is pending. */
  @Column('bigint', { name: 'answered_at', nullable: true })
  answeredAt!: number | null;

  /** JSON of `Approvers`: who may decide the approval; null for whoever may decide approvals. */
  @Column('text', { name: 'approvers', nullable: true })
  approvers!: string | null;

  /** JSON of an `ApprovalBinding`; null for inputs, and for approvals of earlier versions. */
  @Column('text', { name: 'binding', nullable: true })
  binding!: string | null;

  /** JSON of a `DecidedBy`: who answered it; null without authentication, and while it is pending. */
  @Column('text', { name: 'decided_by', nullable: true })
  decidedBy!: string | null;
}
