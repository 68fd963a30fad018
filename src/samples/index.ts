export * from './calendar/index.js';
export { OfflineModelClient } from './offline-model/offline-model-client.js';
export * from './samples.module.js';
