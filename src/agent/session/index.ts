export * from './message-state.js';
export * from './session-cleaners.js';
export * from './ports/session-store.js';
export * from './ports/session-search.js';
export * from './ports/sessions.js';
export * from './session.module.js';
