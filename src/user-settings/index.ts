export * from './user-settings.js';
export * from './user-settings.module.js';
