export * from './address-rules.js';
export * from './outgoing-http.js';
export * from './outgoing.module.js';
export * from './outgoing.settings.js';
