export * from './app-error.js';
export * from './assert-unreachable.js';
export * from './clock.js';
export * from './demand.js';
export * from './error-codes.js';
export * from './ids.js';
export * from './json.js';
export * from './principal.js';
