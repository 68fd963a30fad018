export * from './session-store.js';
export * from './session.module.js';
