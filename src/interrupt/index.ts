export { AnswerCheck, type CheckedAnswers } from './answer-check.js';
export * from './interrupt.types.js';
export * from './ports/interrupt-store.js';
export * from './ports/interrupts.js';
export * from './interrupt.module.js';
