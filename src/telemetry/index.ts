export * from './logging.module.js';
export * from './server-log.js';
export * from './logging.settings.js';
