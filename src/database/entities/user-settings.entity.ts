import { Column, Entity, PrimaryColumn } from '../typeorm.js';

/** What a user chose once for all runs. */
@Entity({ name: 'user_settings' })
export class UserSettingsEntity {
  @PrimaryColumn('varchar', { name: 'tenant_id', length: 128, primaryKeyConstraintName: 'pk_user_settings' })
  tenantId!: string;

  @PrimaryColumn('varchar', { name: 'user_id', length: 256, primaryKeyConstraintName: 'pk_user_settings' })
  userId!: string;

  /** IANA name. */
  @Column('varchar', { name: 'timezone', length: 64, nullable: true })
  timezone!: string | null;

  /** BCP 47 tag. */
  @Column('varchar', { name: 'locale', length: 35, nullable: true })
  locale!: string | null;

  /** Milliseconds since the epoch. */
  @Column('bigint', { name: 'updated_at' })
  updatedAt!: number;
}
