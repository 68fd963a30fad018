import { type JsonObject, localTime } from '../../common/index.js';
import type { UiHints } from '../../ui-schema/index.js';
import type { CalendarEvent } from './calendar-store.js';

/** An event as the model sees it: times with the offset of its zone. */
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
    ...(event.location !== null && { location: event.location }),
    ...(event.notes !== null && { notes: event.notes }),
  };
}

/** A written event as a card, in Chinese for users who chose it, otherwise in English. */
export function writtenCard(event: CalendarEvent, locale: string | null): UiHints {
  const title = isChinese(locale) ? '日程已创建' : 'Event created';
  return { title, body: event.title, status: 'success', fields: fieldsOf(event, locale) };
}

/** Events of a calendar as a card. */
export function listCard(events: readonly CalendarEvent[], locale: string | null): UiHints {
  const [title, none] = isChinese(locale) ? ['日程', '没有日程'] : ['Calendar', 'No events'];
  return {
    title,
    status: 'info',
    badge: String(events.length),
    ...(events.length === 0 && { body: none }),
    items: events.map((event) => ({ title: event.title, fields: fieldsOf(event, locale) })),
  };
}

function fieldsOf(event: CalendarEvent, locale: string | null): { readonly label: string; readonly value: string }[] {
  const [when, where] = isChinese(locale) ? ['时间', '地点'] : ['When', 'Where'];
  return [
    { label: when, value: eventTimes(event) },
    ...(event.location === null ? [] : [{ label: where, value: event.location }]),
  ];
}

function isChinese(locale: string | null): boolean {
  return /^zh\b/i.test(locale ?? '');
}

/** The time of an event for a person: `Tuesday, 2026-03-17, 15:00–16:00 (Asia/Shanghai)`. */
function eventTimes(event: CalendarEvent): string {
  const zone = event.eventTimezone;
  const [start, end] = [localTime(event.startsAt, zone), localTime(event.endsAt, zone)];
  const until = end.date === start.date ? end.time.slice(0, 5) : `${end.date} ${end.time.slice(0, 5)}`;
  return `${start.weekday}, ${start.date}, ${start.time.slice(0, 5)}–${until} (${zone})`;
}
