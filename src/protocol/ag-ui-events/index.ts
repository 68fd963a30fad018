export * from './ag-ui.types.js';
export { AgUiFold, type AgUiFoldOptions } from './ag-ui-fold.js';
export { normaliseRunInput } from './key-case.js';
export { toAgUiMessages } from './message-encoder.js';
export { decodeMessages } from './message.decoder.js';
export { decodeRunInput, type ResumeEntry, type RunAgentInput } from './run-input.decoder.js';
export { interruptsOf, outcomeOf, usageOf } from './run-outcome.js';
