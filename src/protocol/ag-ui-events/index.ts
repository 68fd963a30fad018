export * from './ag-ui.types.js';
export { leftState, STATE_DIGEST, StateDigest } from './state-digest.js';
export { keptInterrupt, questionsOf } from './kept-interrupt.js';
export { CLOSING_EVENT } from './closing-event.js';
export { AgUiFold, type AgUiFoldOptions } from './ag-ui-fold.js';
export { normaliseRunInput } from './key-case.js';
export { toAgUiMessages } from './message-encoder.js';
export { decodeMessages } from './message.decoder.js';
export { decodeRunInput, type ResumeEntry, type RunAgentInput } from './run-input.decoder.js';
export { interruptsOf, outcomeOf, usageOf } from './run-outcome.js';
export { AgUiEncoder, type AgUiEncoderOptions } from './ag-ui.encoder.js';
export { KEY_CASES, type KeyCase, withKeyCase } from './output-keys.js';
export { acceptRun, type AcceptancePorts, isInterruptError } from './run-acceptance.js';
export { runRequestOf, type RunRequestOptions } from './run-request.js';
export { historyOf, type HistoryPorts, threadMessages } from './thread-history.js';
export {
  type AgUiPorts,
  AgUiRuns,
  generationOf,
  keyCaseOf,
  principalOf,
  type StartedRun,
  type StartOptions,
  type StreamOptions,
} from './ag-ui-runs.js';
export { AG_UI_PROTO_TYPE, protoFrame, wantsProto } from './proto.js';
export { AG_UI_EVENTS, anyEventSchema, eventSchemaName, type EventFieldSchema } from './event-schemas.js';
export { compactEvents } from './compact.js';
export { AgUiSettings } from './ag-ui.settings.js';
