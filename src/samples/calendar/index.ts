export * from './calendar-event.js';
export * from './calendar-store.js';
export * from './calendar.module.js';
