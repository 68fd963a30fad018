export * from './config.module.js';
export * from './configuration.js';
export * from './fingerprints.js';
export * from './json-file.js';
export * from './key-ring.js';
export * from './rules.js';
export * from './server.settings.js';
export * from './setting.js';
