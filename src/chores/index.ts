export * from './chore.js';
export * from './chores.js';
export * from './chores.module.js';
