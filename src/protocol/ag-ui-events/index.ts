export * from './ag-ui.encoder.js';
export * from './ag-ui.settings.js';
export * from './ag-ui.types.js';
export { AgUiFold, type AgUiFoldOptions } from './ag-ui-fold.js';
export {
  AG_UI_RUNS,
  type AgUiRequest,
  AgUiRuns,
  type FrameOptions,
  generationOf,
  keyCaseOf,
  type StartedRun,
  type StartOptions,
} from './ag-ui-runs.js';
export { eventJson } from './event-json.js';
export { AG_UI_EVENTS, anyEventSchema, type EventFieldSchema, eventSchemaName } from './event-schemas.js';
export { KEY_CASES, type KeyCase, normaliseRunInput, withKeyCase } from './key-case.js';
export { toAgUiMessages } from './message-encoder.js';
export { decodeMessages } from './message.decoder.js';
export {
  clientState,
  decodeRunInput,
  decodeTools,
  REQUEST_CONTEXT,
  type ResumeEntry,
  type RunAgentInput,
} from './run-input.decoder.js';
export { interruptsOf, keptInterrupt, outcomeOf, questionsOf, usageOf } from './run-outcome.js';
export { runRequestOf, type RunRequestOptions } from './run-request.js';
export { STATE_SUMMARY, StateSummary, stateSummaryOf } from './shared-state.js';
