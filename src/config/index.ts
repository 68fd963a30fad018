export * from './config.module.js';
export * from './config.types.js';
export * from './configuration-error.js';
export * from './key-ring.js';
export * from './load-config.js';
