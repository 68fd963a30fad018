import { Column, Entity, Index, PrimaryGeneratedColumn } from '../typeorm.js';

/**
 * An entry of the audit log as earlier versions write it. A chore moves them to `audit_lines`; the table stays for servers of
 * the previous version that still run. Triggers of the database reject changes.
 */
@Entity({ name: 'audit_entries' })
@Index('ix_audit_entries_run', ['tenantId', 'runId', 'no'])
export class AuditEntryEntity {
  @PrimaryGeneratedColumn('increment', { name: 'no', type: 'integer', primaryKeyConstraintName: 'pk_audit_entries' })
  no!: number;

  @Column('varchar', { name: 'tenant_id', length: 128 })
  tenantId!: string;

  /** The user of the run. */
  @Column('varchar', { name: 'user_id', length: 256 })
  userId!: string;

  @Column('varchar', { name: 'session_id', length: 256 })
  sessionId!: string;

  @Column('varchar', { name: 'run_id', length: 128 })
  runId!: string;

  /** `requested`, `approved`, `denied`, `answered`, `cancelled`, `expired` or `policy_denied`. */
  @Column('varchar', { name: 'action', length: 32 })
  action!: string;

  @Column('varchar', { name: 'interrupt_id', length: 128, nullable: true })
  interruptId!: string | null;

  @Column('varchar', { name: 'call_id', length: 256, nullable: true })
  callId!: string | null;

  @Column('varchar', { name: 'tool_name', length: 256, nullable: true })
  toolName!: string | null;

  @Column('varchar', { name: 'arguments_hash', length: 64, nullable: true })
  argumentsHash!: string | null;

  /** JSON: arguments, decision, rule. */
  @Column('text', { name: 'details' })
  details!: string;

  /** Milliseconds since the epoch. */
  @Column('bigint', { name: 'created_at' })
  createdAt!: number;
}
