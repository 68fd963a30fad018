export * from './logging.module.js';
export * from './server-log.js';
export * from './logging.settings.js';
export * from './metrics/http.metrics.js';
export * from './metrics/metrics.module.js';
export * from './metrics/metrics.settings.js';
export * from './metrics/metrics-server.js';
