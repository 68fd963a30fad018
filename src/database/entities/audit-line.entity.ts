import { Column, Entity, Index, PrimaryGeneratedColumn } from '../typeorm.js';

/**
 * A line of the audit trail: what was done, when and by whom. Users are pseudonyms; what people wrote is in
 * `audit_payloads`. Append-only: triggers of the database reject changes, and deletions of all but a beginning of a chain
 * that is marked as pruned.
 */
@Entity({ name: 'audit_lines' })
@Index('ix_audit_lines_at', ['tenantId', 'at', 'no'])
@Index('ix_audit_lines_action', ['tenantId', 'action', 'at', 'no'])
@Index('ix_audit_lines_run', ['tenantId', 'runId', 'no'])
export class AuditLineEntity {
  @PrimaryGeneratedColumn('increment', { name: 'no', type: 'integer', primaryKeyConstraintName: 'pk_audit_lines' })
  no!: number;

  /** Whose line it is: `*` for the operator. Changes with the id of the tenant, and is not sealed. */
  @Column('varchar', { name: 'tenant_id', length: 128 })
  tenantId!: string;

  /** The id of the tenant when the line was written. */
  @Column('varchar', { name: 'tenant', length: 128 })
  tenant!: string;

  /** Milliseconds since the epoch. */
  @Column('bigint', { name: 'at' })
  at!: number;

  /** Such as `key.created`. */
  @Column('varchar', { name: 'action', length: 64 })
  action!: string;

  /** `done` or `refused`. */
  @Column('varchar', { name: 'outcome', length: 16 })
  outcome!: string;

  /** `key`, `user`, `proxy`, `cli`, `none` or `server`. */
  @Column('varchar', { name: 'actor_kind', length: 16 })
  actorKind!: string;

  /** The id of a key, the pseudonym of a user, or a name. */
  @Column('varchar', { name: 'actor_id', length: 256 })
  actorId!: string;

  @Column('varchar', { name: 'actor_account', length: 128, nullable: true })
  actorAccount!: string | null;

  /** A pseudonym. */
  @Column('varchar', { name: 'on_behalf_of', length: 64, nullable: true })
  onBehalfOf!: string | null;

  @Column('varchar', { name: 'subject_kind', length: 32, nullable: true })
  subjectKind!: string | null;

  @Column('varchar', { name: 'subject_id', length: 512, nullable: true })
  subjectId!: string | null;

  @Column('varchar', { name: 'run_id', length: 128, nullable: true })
  runId!: string | null;

  @Column('varchar', { name: 'interrupt_id', length: 128, nullable: true })
  interruptId!: string | null;

  @Column('varchar', { name: 'call_id', length: 256, nullable: true })
  callId!: string | null;

  @Column('varchar', { name: 'tool_name', length: 256, nullable: true })
  toolName!: string | null;

  @Column('varchar', { name: 'request_id', length: 256, nullable: true })
  requestId!: string | null;

  @Column('varchar', { name: 'network', length: 64, nullable: true })
  network!: string | null;

  /** HMAC of the content under its salt. */
  @Column('varchar', { name: 'payload_hash', length: 64, nullable: true })
  payloadHash!: string | null;

  /** Canonical JSON of an object: numbers, ids and words of a closed set. */
  @Column('text', { name: 'details' })
  details!: string;
}
