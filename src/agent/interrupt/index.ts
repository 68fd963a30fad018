export { type AskingRule, holdsUnder, isBoundTo, isEdited, refusalOf } from './approver.js';
export { AnswerValidator, type ContinuedRun, type ValidatedAnswers } from './answer-validator.js';
export { INTERRUPT_EXPORT } from './interrupt-export.js';
export * from './interrupt.types.js';
export { openInterrupt } from './open-interrupt.js';
export * from './ports/interrupt-store.js';
export * from './ports/interrupt-causes.js';
export * from './ports/interrupts.js';
export * from './interrupt.module.js';
