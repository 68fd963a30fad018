import { Column, Entity, Index, PrimaryColumn } from '../typeorm.js';

/** What people and models wrote that belongs to a line of the audit trail. It can be erased: the line stays. */
@Entity({ name: 'audit_payloads' })
@Index('ix_audit_payloads_user', ['tenantId', 'userId'])
export class AuditPayloadEntity {
  @PrimaryColumn('integer', { name: 'line_no', primaryKeyConstraintName: 'pk_audit_payloads' })
  lineNo!: number;

  @Column('varchar', { name: 'tenant_id', length: 128 })
  tenantId!: string;

  /** Whose content it is. */
  @Column('varchar', { name: 'user_id', length: 256 })
  userId!: string;

  /** The key of the hash that the line keeps: random, in hex. */
  @Column('varchar', { name: 'salt', length: 64 })
  salt!: string;

  /** JSON of an object. */
  @Column('text', { name: 'content' })
  content!: string;
}
