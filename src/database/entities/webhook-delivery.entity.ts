import { Column, Entity, Index, PrimaryGeneratedColumn, Unique } from '../typeorm.js';

/**
 * An event that is announced to one endpoint: written in the transaction of its cause. Times are milliseconds since the
 * epoch.
 */
@Entity({ name: 'webhook_deliveries' })
@Unique('uq_webhook_deliveries', ['id'])
@Index('ix_webhook_deliveries_waiting', ['webhookRowId', 'dueAt', 'rowId'], { where: `status = 'waiting'` })
@Index('ix_webhook_deliveries_leased', ['webhookRowId', 'leasedUntil'], {
  where: `status = 'waiting' AND leased_until IS NOT NULL`,
})
@Index('ix_webhook_deliveries_list', ['webhookRowId', 'rowId'])
@Index('ix_webhook_deliveries_created', ['createdAt'])
@Index('ix_webhook_deliveries_run', ['runRowId'], { where: 'run_no IS NOT NULL' })
export class WebhookDeliveryEntity {
  @PrimaryGeneratedColumn('increment', {
    name: 'no',
    type: 'integer',
    primaryKeyConstraintName: 'pk_webhook_deliveries',
  })
  rowId!: number;

  /** The header `webhook-id`: a hash of the endpoint, the cause and the event. */
  @Column('varchar', { name: 'id', length: 64 })
  id!: string;

  @Column('integer', { name: 'webhook_no' })
  webhookRowId!: number;

  @Column('varchar', { name: 'tenant_id', length: 128 })
  tenantId!: string;

  /** The name of the event. */
  @Column('varchar', { name: 'type', length: 64 })
  type!: string;

  /** The run that it tells about; null for others. */
  @Column('integer', { name: 'run_no', nullable: true })
  runRowId!: number | null;

  @Column('varchar', { name: 'run_id', length: 128, nullable: true })
  runId!: string | null;

  /** The owner of what it tells about. */
  @Column('varchar', { name: 'user_id', length: 256, nullable: true })
  userId!: string | null;

  @Column('varchar', { name: 'traceparent', length: 64, nullable: true })
  traceparent!: string | null;

  /** As it is sent, on every attempt. */
  @Column('text', { name: 'body' })
  body!: string;

  /** `waiting`, `sent` or `failed`. */
  @Column('varchar', { name: 'status', length: 16, default: 'waiting' })
  status!: string;

  @Column('integer', { name: 'attempts', default: 0 })
  attempts!: number;

  /** When it is tried next, by the clock of the database; 0 at once. */
  @Column('bigint', { name: 'due_at', default: 0 })
  dueAt!: number;

  /** Until when a process tries it; null if none does. */
  @Column('bigint', { name: 'leased_until', nullable: true })
  leasedUntil!: number | null;

  @Column('bigint', { name: 'created_at' })
  createdAt!: number;

  @Column('bigint', { name: 'ended_at', nullable: true })
  endedAt!: number | null;

  /** JSON array of the newest attempts. */
  @Column('text', { name: 'attempt_log', nullable: true })
  attemptLog!: string | null;
}
