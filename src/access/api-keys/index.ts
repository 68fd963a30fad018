export * from './actor-standing.js';
export * from './api-key.js';
export * from './api-key.verifier.js';
export * from './api-keys.js';
export * from './key-fields.js';
export * from './key-form.js';
export * from './key-managers.js';
export * from './key-view.js';
