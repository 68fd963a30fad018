export * from './plan.js';
export * from './ports/schedule-rights.js';
export { SCHEDULE_EXPORT } from './schedule-export.js';
export * from './schedule-firing.js';
export * from './schedule-runner.js';
export { Schedule as ScheduleDecorator, type ScheduleOptions } from './schedule.decorator.js';
export * from './schedule.types.js';
export * from './schedules.js';
export * from './schedules.module.js';
