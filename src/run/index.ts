export * from './run.types.js';
export * from './runs.js';
