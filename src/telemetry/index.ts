export * from './logging.module.js';
export * from './request-id.js';
export * from './server-log.js';
