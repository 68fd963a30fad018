export * from './logging.module.js';
export * from './request-id.js';
