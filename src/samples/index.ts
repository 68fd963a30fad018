export { CALENDAR_EXPORT } from './calendar/calendar-export.js';
export { CalendarStore, type CalendarEvent, type CalendarRange } from './calendar/calendar-store.js';
export { OfflineModelClient } from './offline-model/offline-model-client.js';
export * from './samples.module.js';
export * from './samples.settings.js';
