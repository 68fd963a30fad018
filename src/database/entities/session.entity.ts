import { Column, Entity, Index, PrimaryGeneratedColumn, Unique } from '../typeorm.js';

/**
 * A session of one user. `no` is the key inside the database; `id` is the client's, unique within
 * (tenant, user).
 */
@Entity({ name: 'sessions' })
@Unique('uq_sessions_owner_id', ['tenantId', 'userId', 'id'])
@Index('ix_sessions_tenant_id', ['tenantId', 'id'])
// The lists of sessions, which leave out the unlisted ones.
@Index('ix_sessions_owner_listed', ['tenantId', 'userId', 'updatedAt', 'rowId'], { where: 'unlisted = 0' })
@Index('ix_sessions_tenant_listed', ['tenantId', 'updatedAt', 'rowId'], { where: 'unlisted = 0' })
// The unlisted ones in which nothing has happened for long.
@Index('ix_sessions_tenant_unlisted', ['tenantId', 'updatedAt', 'rowId'], { where: 'unlisted = 1' })
export class SessionEntity {
  @PrimaryGeneratedColumn('increment', { name: 'no', type: 'integer', primaryKeyConstraintName: 'pk_sessions' })
  rowId!: number;

  @Column('varchar', { name: 'tenant_id', length: 128 })
  tenantId!: string;

  @Column('varchar', { name: 'user_id', length: 256 })
  userId!: string;

  @Column('varchar', { name: 'id', length: 256 })
  id!: string;

  /** The shared state, a JSON object. */
  @Column('text', { name: 'state', default: '{}' })
  state!: string;

  /** Data that its owner stores with it: a JSON object. */
  @Column('text', { name: 'metadata', default: '{}' })
  metadata!: string;

  /**
   * The newest ordinal. Each run takes one; so do the creation of a session without a run, and messages
   * that are added between runs. A run that created its session has ordinal 1.
   */
  @Column('integer', { name: 'run_count', default: 0 })
  runCount!: number;

  /** How many messages were added to it, including removed ones. */
  @Column('integer', { name: 'message_count', default: 0 })
  messageCount!: number;

  /** Milliseconds since the epoch. */
  @Column('bigint', { name: 'created_at' })
  createdAt!: number;

  /** Milliseconds since the epoch. */
  @Column('bigint', { name: 'updated_at' })
  updatedAt!: number;

  /** 1 for a session that no list shows: it holds one request, which brought its whole conversation. */
  @Column('integer', { name: 'unlisted', default: 0 })
  unlisted!: number;
}
