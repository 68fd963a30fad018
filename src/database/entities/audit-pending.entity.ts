import { Column, Entity, Index, PrimaryColumn } from '../typeorm.js';

/** A line of the audit trail that is not sealed yet. Written with the line, removed with the seal. */
@Entity({ name: 'audit_pending' })
@Index('ix_audit_pending_tenant', ['tenantId', 'lineNo'])
export class AuditPendingEntity {
  @PrimaryColumn('integer', { name: 'line_no', primaryKeyConstraintName: 'pk_audit_pending' })
  lineNo!: number;

  @Column('varchar', { name: 'tenant_id', length: 128 })
  tenantId!: string;
}
