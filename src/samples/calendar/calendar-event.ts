/** An event of a user's calendar. Times are milliseconds since the epoch. */
export interface CalendarEvent {
  readonly id: string;
  readonly title: string;
  readonly startsAt: number;
  readonly endsAt: number;
  /** IANA name of the zone in which the event was planned. */
  readonly eventTimezone: string;
  readonly location: string | null;
  readonly notes: string | null;
}
