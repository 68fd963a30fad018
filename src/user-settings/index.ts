export * from './ports/user-settings.js';
export { USER_SETTINGS_EXPORT } from './user-settings-export.js';
export * from './user-settings.module.js';
