import { Column, Entity, Index, PrimaryGeneratedColumn, Unique } from '../typeorm.js';

/** An address of a tenant that events are announced to. Times are milliseconds since the epoch. */
@Entity({ name: 'webhooks' })
@Unique('uq_webhooks', ['id'])
@Index('ix_webhooks_tenant', ['tenantId', 'rowId'])
export class WebhookEntity {
  @PrimaryGeneratedColumn('increment', { name: 'no', type: 'integer', primaryKeyConstraintName: 'pk_webhooks' })
  rowId!: number;

  /** Random. */
  @Column('varchar', { name: 'id', length: 64 })
  id!: string;

  @Column('varchar', { name: 'tenant_id', length: 128 })
  tenantId!: string;

  @Column('varchar', { name: 'url', length: 2048 })
  url!: string;

  @Column('varchar', { name: 'description', length: 256, nullable: true })
  description!: string | null;

  /** JSON array of names and globs. */
  @Column('text', { name: 'events' })
  events!: string;

  /** `parley` or `openai`. */
  @Column('varchar', { name: 'format', length: 16 })
  format!: string;

  /** JSON array of globs; null for all agents. */
  @Column('text', { name: 'agents', nullable: true })
  agents!: string | null;

  /** JSON array. */
  @Column('text', { name: 'include' })
  include!: string;

  /** 1 or 0. */
  @Column('integer', { name: 'enabled', default: 1 })
  enabled!: number;

  @Column('varchar', { name: 'disabled_reason', length: 256, nullable: true })
  disabledReason!: string | null;

  /** Sealed. */
  @Column('text', { name: 'secret' })
  secret!: string;

  /** The one before, sealed: signs too until `oldSecretUntil`. */
  @Column('text', { name: 'old_secret', nullable: true })
  oldSecret!: string | null;

  @Column('bigint', { name: 'old_secret_until', nullable: true })
  oldSecretUntil!: number | null;

  /** Grows with each change: by it, processes find out that they have to read the endpoints again. */
  @Column('integer', { name: 'revision', default: 0 })
  revision!: number;

  @Column('bigint', { name: 'created_at' })
  createdAt!: number;

  @Column('bigint', { name: 'enabled_at' })
  enabledAt!: number;

  /** Accurate to a minute. */
  @Column('bigint', { name: 'last_success_at', nullable: true })
  lastSuccessAt!: number | null;
}
