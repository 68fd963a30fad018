import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/index.js';
import { queryable, RequestDatabase, type SqlValue, type Transaction } from '../../database/index.js';

/** An event of a user's calendar. Times are milliseconds since the epoch. */
export interface CalendarEvent {
  readonly id: string;
  /** What the event is, as the user said it. */
  readonly title: string;
  /** Start, in milliseconds since the epoch. */
  readonly startsAt: number;
  /** End, in milliseconds since the epoch; later than the start. */
  readonly endsAt: number;
  /** IANA name of the zone in which the event was planned. */
  readonly eventTimezone: string;
  readonly location: string | null;
  readonly notes: string | null;
}

/** Selects events of a user. */
export interface CalendarRange {
  /** Events that end after this moment, in milliseconds. */
  readonly from: number;
  /** Events that begin before this moment, in milliseconds; undefined for no upper bound. */
  readonly until: number | undefined;
  /** Events returned at most. */
  readonly limit: number;
}

/** A row with the columns of `COLUMNS`. */
interface EventRow {
  readonly id: string;
  readonly title: string;
  readonly starts_at: number;
  readonly ends_at: number;
  readonly event_timezone: string;
  readonly location: string | null;
  readonly notes: string | null;
}

/** The columns of an event, in every query. */
const COLUMNS = 'id, title, starts_at, ends_at, event_timezone, location, notes';

/** Writes nothing if the key exists: a repeated tool call must not plan the event twice. */
const INSERT = `
  INSERT INTO calendar_events (id, tenant_id, user_id, idempotency_key, title, starts_at, ends_at, event_timezone,
    location, notes, created_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (tenant_id, user_id, idempotency_key) DO NOTHING`;

/** The event of an earlier write with the same key. */
const BY_KEY = `
  SELECT ${COLUMNS} FROM calendar_events WHERE tenant_id = ? AND user_id = ? AND idempotency_key = ?`;

/** Events that overlap a range. */
const LIST = `
  SELECT ${COLUMNS} FROM calendar_events
  WHERE tenant_id = ? AND user_id = ? AND ends_at > ? AND starts_at < ?
  ORDER BY starts_at, id LIMIT ?`;

const REMOVE_ALL = 'DELETE FROM calendar_events WHERE tenant_id = ? AND user_id = ?';

/** The calendars of all users, in the server's database. */
@Injectable()
export class CalendarStore {
  constructor(private readonly database: RequestDatabase) {}

  /**
   * Writes an event. A repeated write with the same key returns the event of the first one and writes
   * nothing.
   *
   * @param now milliseconds since the epoch
   */
  async add(
    { tenantId, userId }: Principal,
    idempotencyKey: string,
    event: CalendarEvent,
    now: number,
  ): Promise<{ readonly event: CalendarEvent; readonly created: boolean }> {
    const values: SqlValue[] = [
      ...[event.id, tenantId, userId, idempotencyKey, event.title, event.startsAt, event.endsAt],
      ...[event.eventTimezone, event.location, event.notes, now],
    ];
    return this.database.write(async (tx) => {
      if ((await tx.run(INSERT, values)) === 1) return { event, created: true };
      const [row] = await tx.all<EventRow>(BY_KEY, [tenantId, userId, idempotencyKey]);
      if (!row) throw new Error('The event was neither written nor found');
      return { event: eventOf(row), created: false };
    });
  }

  /** Removes the calendar of a user. Returns how many events it had. */
  removeAll(tx: Transaction, { tenantId, userId }: Principal): Promise<number> {
    return queryable(tx).run(REMOVE_ALL, [tenantId, userId]);
  }

  /** The events of a user in the order of their start. */
  async list(
    { tenantId, userId }: Principal,
    { from, until, limit }: CalendarRange,
  ): Promise<readonly CalendarEvent[]> {
    const end = until ?? Number.MAX_SAFE_INTEGER;
    const rows = await this.database.read.all<EventRow>(LIST, [tenantId, userId, from, end, limit]);
    return rows.map(eventOf);
  }
}

/** Maps the column names. */
function eventOf(row: EventRow): CalendarEvent {
  return {
    id: row.id,
    title: row.title,
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    eventTimezone: row.event_timezone,
    location: row.location,
    notes: row.notes,
  };
}
