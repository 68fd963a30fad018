export * from './data-protection.module.js';
export * from './erase-job.js';
export { ErasureRunner } from './erasure-runner.js';
export * from './erasures.js';
export * from './ports/user-rows.js';
export * from './user-cleaners.js';
export * from './user-exporters.js';
export { UserExports } from './user-exports.js';
