export * from './run.types.js';
export * from './runs.js';
export { ANSWERED_CALL, UNKNOWN_CALL } from './accept-input.js';
export * from './run.module.js';
export * from './run-digests.js';
export { Dispatcher } from './ports/dispatcher.js';
export * from './run.settings.js';
