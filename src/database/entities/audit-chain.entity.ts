import { Column, Entity, PrimaryColumn, Unique } from '../typeorm.js';

/** A chain of seals: that of a tenant, or of the operator. Whoever seals or prunes locks it. */
@Entity({ name: 'audit_chains' })
@Unique('uq_audit_chains_tenant', ['tenantId'])
export class AuditChainEntity {
  /** A random UUID: it stays when the tenant gets another id. */
  @PrimaryColumn('varchar', { name: 'id', length: 36, primaryKeyConstraintName: 'pk_audit_chains' })
  id!: string;

  /** `*` for the operator. */
  @Column('varchar', { name: 'tenant_id', length: 128 })
  tenantId!: string;

  /** Of the last line that is sealed; 0 without one. */
  @Column('integer', { name: 'seq' })
  seq!: number;

  /** Of the last line that is sealed, or the hash before the first. */
  @Column('varchar', { name: 'hash', length: 64 })
  hash!: string;

  /** Of the last line that was removed; 0 without one. The triggers let lines up to it go. */
  @Column('integer', { name: 'pruned_seq' })
  prunedSeq!: number;

  @Column('varchar', { name: 'pruned_hash', length: 64, nullable: true })
  prunedHash!: string | null;

  /** Milliseconds since the epoch. */
  @Column('bigint', { name: 'created_at' })
  createdAt!: number;
}
