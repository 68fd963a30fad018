import { Column, Entity, Index, PrimaryColumn } from '../typeorm.js';

/**
 * What stands for a user in the audit trail. It can be erased: then nobody can tell who it was. A user may have two, if two
 * transactions needed the first at the same time: so none of them waits for another.
 */
@Entity({ name: 'user_pseudonyms' })
@Index('ix_user_pseudonyms_user', ['tenantId', 'userId'])
export class UserPseudonymEntity {
  /** `usr_` and a random UUID. */
  @PrimaryColumn('varchar', { name: 'pseudonym', length: 64, primaryKeyConstraintName: 'pk_user_pseudonyms' })
  pseudonym!: string;

  @Column('varchar', { name: 'tenant_id', length: 128 })
  tenantId!: string;

  @Column('varchar', { name: 'user_id', length: 256 })
  userId!: string;

  /** Milliseconds since the epoch. */
  @Column('bigint', { name: 'created_at' })
  createdAt!: number;
}
