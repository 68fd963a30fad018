import type { Principal } from '../../common/index.js';
import type { CalendarEvent } from './calendar-event.js';

/** Which events of a user are asked for. */
export interface CalendarRange {
  /** Events that end after this moment, in milliseconds. */
  readonly from: number;
  /** Events that begin before this moment; undefined for no end. */
  readonly until: number | undefined;
  readonly limit: number;
}

/** The calendars of all users. */
export abstract class CalendarStore {
  /**
   * Writes an event. A repeated write with the same key returns the first one's event and writes nothing.
   *
   * @param now milliseconds
   */
  abstract add(
    principal: Principal,
    idempotencyKey: string,
    event: CalendarEvent,
    now: number,
  ): Promise<{ readonly event: CalendarEvent; readonly created: boolean }>;

  /** Events of a user in the order of their beginning. */
  abstract list(principal: Principal, range: CalendarRange): Promise<readonly CalendarEvent[]>;
}
