import { Column, Entity, PrimaryColumn } from '../typeorm.js';

/** A tenant: a customer of the server. Times are milliseconds since the epoch. */
@Entity({ name: 'tenants' })
export class TenantEntity {
  /** The `tenant_id` of all other tables. */
  @PrimaryColumn('varchar', { name: 'id', length: 128, primaryKeyConstraintName: 'pk_tenants' })
  id!: string;

  /** For people. */
  @Column('varchar', { name: 'name', length: 256 })
  name!: string;

  /** `active` or `suspended`. */
  @Column('varchar', { name: 'status', length: 16 })
  status!: string;

  /** A JSON object. */
  @Column('text', { name: 'settings', default: '{}' })
  settings!: string;

  @Column('bigint', { name: 'created_at' })
  createdAt!: number;

  @Column('bigint', { name: 'updated_at' })
  updatedAt!: number;
}
