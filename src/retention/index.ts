export * from './retention-periods.js';
export * from './retention.settings.js';
export * from './retention.js';
export * from './retention.module.js';
export * from './ports/tenant-retention.js';
