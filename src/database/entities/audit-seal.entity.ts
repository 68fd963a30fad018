import { Column, Entity, PrimaryColumn, Unique } from '../typeorm.js';

/** The seal of a line of the audit trail: its place in its chain. Append-only, as the lines. */
@Entity({ name: 'audit_seals' })
@Unique('uq_audit_seals_line', ['lineNo'])
export class AuditSealEntity {
  @PrimaryColumn('varchar', { name: 'chain_id', length: 36, primaryKeyConstraintName: 'pk_audit_seals' })
  chainId!: string;

  /** From 1, without gaps. */
  @PrimaryColumn('integer', { name: 'seq', primaryKeyConstraintName: 'pk_audit_seals' })
  seq!: number;

  @Column('integer', { name: 'line_no' })
  lineNo!: number;

  /** HMAC-SHA-256 of the hash before and of the line, in hex. */
  @Column('varchar', { name: 'hash', length: 64 })
  hash!: string;

  /** Which key made it. */
  @Column('varchar', { name: 'kid', length: 64 })
  kid!: string;
}
