import { exporterOf, OF_USER, time, type UserExporter } from '../../data-protection/index.js';

/** The calendar of a user. */
export const CALENDAR_EXPORT: UserExporter = exporterOf({
  kind: 'calendarEvents',
  from: 'calendar_events',
  where: OF_USER,
  key: ['starts_at', 'id'],
  members: {
    eventId: 'id',
    title: 'title',
    startsAt: ['starts_at', time],
    endsAt: ['ends_at', time],
    timezone: 'event_timezone',
    location: 'location',
    notes: 'notes',
    createdAt: ['created_at', time],
  },
  leftOut: ['tenant_id', 'user_id', 'idempotency_key'],
});
