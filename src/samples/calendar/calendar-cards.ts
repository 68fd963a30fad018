import type { UiHints } from '../../ui-schema/index.js';
import type { CalendarEvent } from './calendar-event.js';
import { eventTimes } from './event-text.js';

/** An event that was written, as a card: in Chinese for users who chose that, else in English. */
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
    ...(events.length === 0 ? { body: none } : {}),
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
