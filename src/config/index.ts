export * from './config.types.js';
export * from './config.module.js';
export * from './configuration-error.js';
export * from './load-config.js';
