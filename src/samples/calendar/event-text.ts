import { type JsonObject, localTime } from '../../common/index.js';
import type { CalendarEvent } from './calendar-event.js';

/** An event as tools tell it: times with the offset of its zone. */
export function eventText(event: CalendarEvent): JsonObject {
  const zone = event.eventTimezone;
  const start = localTime(event.startsAt, zone);
  return {
    id: event.id,
    title: event.title,
    weekday: start.weekday,
    start: start.iso,
    end: localTime(event.endsAt, zone).iso,
    event_timezone: zone,
    ...(event.location === null ? {} : { location: event.location }),
    ...(event.notes === null ? {} : { notes: event.notes }),
  };
}

/** When an event is, for a person: `Tuesday, 2026-03-17, 15:00–16:00 (Asia/Shanghai)`. */
export function eventTimes(event: CalendarEvent): string {
  const zone = event.eventTimezone;
  const [start, end] = [localTime(event.startsAt, zone), localTime(event.endsAt, zone)];
  const until = end.date === start.date ? end.time.slice(0, 5) : `${end.date} ${end.time.slice(0, 5)}`;
  return `${start.weekday}, ${start.date}, ${start.time.slice(0, 5)}–${until} (${zone})`;
}
