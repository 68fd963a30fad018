export * from './limit-table.js';
export * from './limit-values.js';
export * from './limits.settings.js';
export * from './open-slots.js';
export * from './owner-rates.js';
export * from './rate-limits.js';
export * from './request-rates.js';
export * from './tenant-limits.js';
