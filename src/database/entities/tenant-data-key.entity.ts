import { Column, Entity, PrimaryColumn } from '../typeorm.js';

/** The key that the content of a tenant is encrypted with, wrapped. Without the row the content is lost. */
@Entity({ name: 'tenant_data_keys' })
export class TenantDataKeyEntity {
  @PrimaryColumn('varchar', { name: 'tenant_id', length: 128, primaryKeyConstraintName: 'pk_tenant_data_keys' })
  tenantId!: string;

  /** Random; on everything that is sealed with the key. */
  @Column('varchar', { name: 'key_id', length: 16 })
  keyId!: string;

  /** Of the key of the ring that has wrapped it. */
  @Column('varchar', { name: 'kid', length: 64 })
  kid!: string;

  @Column('text', { name: 'wrapped' })
  wrapped!: string;

  /** Milliseconds since the epoch. */
  @Column('bigint', { name: 'created_at' })
  createdAt!: number;
}
