export * from './run.types.js';
export * from './runs.js';
export * from './run.module.js';
export * from './run-digests.js';
export { Dispatcher } from './ports/dispatcher.js';
