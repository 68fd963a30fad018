/** What the server does because of V8 and Node: see docs/node-internals.md. */
export * from './async-resource-bind.js';
export * from './growing-text.js';
export * from './hidden-property.js';
export * from './light-abort-signal.js';
export * from './return-connections.js';
export * from './server-flag.js';
export * from './turnover-map.js';
export * from './v8-flags.js';
