import { Column, Entity, Index, PrimaryColumn } from '../typeorm.js';

/** An API key without its secret. Times are milliseconds since the epoch. */
@Entity({ name: 'api_keys' })
@Index('ix_api_keys_tenant_created', ['tenantId', 'createdAt', 'id'])
export class ApiKeyEntity {
  /** Random; a part of the key. */
  @PrimaryColumn('varchar', { name: 'id', length: 12, primaryKeyConstraintName: 'pk_api_keys' })
  id!: string;

  @Column('varchar', { name: 'tenant_id', length: 128 })
  tenantId!: string;

  /** SHA-256 of the whole key, in hexadecimal digits. */
  @Column('varchar', { name: 'hash', length: 64 })
  hash!: string;

  /** The identity of the caller, which survives the rotation of the key. */
  @Column('varchar', { name: 'account', length: 63 })
  account!: string;

  @Column('varchar', { name: 'name', length: 256, nullable: true })
  name!: string | null;

  /** JSON array of scopes. */
  @Column('text', { name: 'scopes' })
  scopes!: string;

  /** The user that the key always acts for; null if it acts for its account or for others. */
  @Column('varchar', { name: 'user_id', length: 256, nullable: true })
  userId!: string | null;

  /** JSON array of the networks from which the key is accepted; null for any. */
  @Column('text', { name: 'networks', nullable: true })
  networks!: string | null;

  /** JSON of an `OwnLimits`; null for the limits of the tenant. */
  @Column('text', { name: 'limits', nullable: true })
  limits!: string | null;

  /** Kind and id of the actor. */
  @Column('varchar', { name: 'created_by', length: 320 })
  createdBy!: string;

  @Column('bigint', { name: 'created_at' })
  createdAt!: number;

  /** Null if the key does not expire. */
  @Column('bigint', { name: 'expires_at', nullable: true })
  expiresAt!: number | null;

  /** Until when the key works next to the one that replaces it; null if it was not rotated. */
  @Column('bigint', { name: 'overlap_until', nullable: true })
  overlapUntil!: number | null;

  /** Kind and id of the actor; null if the key was not revoked. */
  @Column('varchar', { name: 'revoked_by', length: 320, nullable: true })
  revokedBy!: string | null;

  @Column('bigint', { name: 'revoked_at', nullable: true })
  revokedAt!: number | null;

  /** Accurate to a minute; null if the key was never used. */
  @Column('bigint', { name: 'last_used_at', nullable: true })
  lastUsedAt!: number | null;

  /** The network of the address that used it last: /24 of IPv4, /48 of IPv6. */
  @Column('varchar', { name: 'last_used_network', length: 64, nullable: true })
  lastUsedNetwork!: string | null;
}
