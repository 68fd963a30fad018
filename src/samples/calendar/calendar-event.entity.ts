import { Column, Entity, Index, PrimaryColumn, Unique } from '../../database/index.js';

/** An event of a user's calendar. A repeated write with the same idempotency key finds the first one. */
@Entity({ name: 'calendar_events' })
@Unique('uq_calendar_events_key', ['tenantId', 'userId', 'idempotencyKey'])
@Index('ix_calendar_events_owner_start', ['tenantId', 'userId', 'startsAt'])
export class CalendarEventEntity {
  @PrimaryColumn('varchar', { name: 'id', length: 64, primaryKeyConstraintName: 'pk_calendar_events' })
  id!: string;

  @Column('varchar', { name: 'tenant_id', length: 128 })
  tenantId!: string;

  @Column('varchar', { name: 'user_id', length: 256 })
  userId!: string;

  @Column('varchar', { name: 'idempotency_key', length: 64 })
  idempotencyKey!: string;

  @Column('varchar', { name: 'title', length: 200 })
  title!: string;

  /** Milliseconds since the epoch. */
  @Column('bigint', { name: 'starts_at' })
  startsAt!: number;

  /** Milliseconds since the epoch. */
  @Column('bigint', { name: 'ends_at' })
  endsAt!: number;

  /** IANA name of the zone in which the event was planned. */
  @Column('varchar', { name: 'event_timezone', length: 64 })
  eventTimezone!: string;

  @Column('varchar', { name: 'location', length: 500, nullable: true })
  location!: string | null;

  @Column('text', { name: 'notes', nullable: true })
  notes!: string | null;

  /** Milliseconds since the epoch. */
  @Column('bigint', { name: 'created_at' })
  createdAt!: number;
}
