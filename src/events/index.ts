export * from './agent-event.js';
export * from './agent-objects.js';
export * from './citations.js';
export * from './conversation-summary.js';
export * from './extension-events.js';
export * from './tool-payloads.js';
export * from './logged-event.js';
export * from './usage.js';
export { BuilderError, type BuilderErrorCode } from './builder/builder-error.js';
export { ContentBuilder, type FileFields } from './builder/content-builder.js';
export { MessageBuilder, type MessageClosing } from './builder/message-builder.js';
export {
  ResponseBuilder,
  type ResponseBuilderOptions,
  type ResponseClosing,
} from './builder/response-builder.js';
export { mergeData } from './builder/merge.js';
export { ContentValue, fieldsOf, isContentType, makeContent, type ContentInput } from './content-value.js';
export { StreamGrammar } from './grammar.js';
export * from './message-factory.js';
export * from './output-limits.js';
export { discardedMessageIds, ResponseFold } from './response-fold.js';
export { serializeEvent } from './serialize-event.js';
