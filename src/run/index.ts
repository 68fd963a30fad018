export * from './run.types.js';
export * from './run.settings.js';
export * from './ports/runs.js';
export { ANSWERED_CALL, UNKNOWN_CALL } from './accept/input-repetition.js';
export * from './run.module.js';
export * from './end/retained-summaries.js';
export * from './ports/run-limits.js';
export { Dispatcher } from './ports/dispatcher.js';
