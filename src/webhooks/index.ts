export * from './announcements.js';
export { DELIVERY_EXPORT } from './delivery-export.js';
export * from './webhook-deliveries.js';
export * from './webhook-directory.js';
export * from './webhook.settings.js';
export * from './webhook.types.js';
export * from './webhooks.js';
export * from './webhooks.module.js';
