export * from './compile-ui-schema.js';
export { UI_LIMITS } from './compile-budget.js';
export * from './ui-schema.types.js';
