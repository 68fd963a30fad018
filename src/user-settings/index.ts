export * from './ports/user-settings.js';
export * from './user-settings.module.js';
