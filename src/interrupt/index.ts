export { AnswerCheck, type CheckedAnswers } from './answer-check.js';
export * from './interrupt.types.js';
export * from './interrupt-store.js';
export * from './interrupts.js';
export * from './interrupt.module.js';
