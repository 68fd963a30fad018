export * from './session-cleaners.js';
export * from './session-store.js';
export * from './sessions.js';
export * from './session.module.js';
