export * from './config.types.js';
