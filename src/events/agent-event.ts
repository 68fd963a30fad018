import { type AgentResponse, type Content, isTerminalStatus, type Message } from './agent-objects.js';
import type {
  ActivityEvent,
  CustomEvent,
  InterruptEvent,
  RawEvent,
  StateEvent,
  StepEvent,
  SubagentEvent,
} from './extension-events.js';

/** An event of the three-layer builder: a response, a message or a content. */
export type BuilderEvent = AgentResponse | Message | Content;

/** An event that extends the Agent API. */
export type ExtensionEvent =
  StateEvent | StepEvent | ActivityEvent | CustomEvent | RawEvent | SubagentEvent | InterruptEvent;

/** Any event of a run log. */
export type AgentEvent = BuilderEvent | ExtensionEvent;

/** True for a response, a message or a content. */
export function isBuilderEvent(event: AgentEvent): event is BuilderEvent {
  return event.object === 'content' || event.object === 'message' || event.object === 'response';
}

/** True for the event that ends a run. */
export function isTerminalEvent(event: AgentEvent): event is AgentResponse {
  return event.object === 'response' && isTerminalStatus(event.status);
}
