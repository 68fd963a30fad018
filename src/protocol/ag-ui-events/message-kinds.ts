import { dataOf, type Message, type MessageType, SUBAGENT_ID } from '../../events/index.js';
import type { AgUiEvent } from './ag-ui.types.js';

const CALLS: ReadonlySet<MessageType> = new Set(['function_call', 'plugin_call', 'component_call', 'mcp_call']);
const OUTPUTS: ReadonlySet<MessageType> = new Set([
  'function_call_output',
  'plugin_call_output',
  'component_call_output',
  'mcp_call_output',
]);

/** The key under which a message keeps the `metadata` that its client gave it: it is the client's own. */
export const CLIENT_METADATA = 'client_metadata';

/** What a message of the log is on AG-UI. */
export type MessageKind = 'text' | 'reasoning' | 'call' | 'output' | 'custom' | 'silent';

/** The kind of a message by its type and role. */
export function kindOfMessage({ type, role }: Pick<Message, 'type' | 'role'>): MessageKind {
  if (CALLS.has(type)) return 'call';
  if (OUTPUTS.has(type)) return 'output';
  if (type === 'message') return role === 'assistant' ? 'text' : 'silent';
  if (type === 'reasoning') return 'reasoning';
  return type === 'a2ui_response' || type === 'a2ui_action' || type === 'mcp_list_tools' ? 'custom' : 'silent';
}

/**
 * Finds the assistant message that each call belongs to, in the order of the log: the text before it in the
 * same answer, otherwise the first call of the answer. An output or a new text begins another answer,
 * so that rounds of tools do not share a message. Each subagent has answers of its own.
 */
export class CallParents {
  /** By the subagent whose answer it is; undefined for the run's own agent. */
  private readonly parentIds = new Map<string | undefined, string>();

  /** Adds a message that starts and returns the id of the message it is shown as. */
  add(message: Pick<Message, 'id' | 'type' | 'role' | 'metadata'>): string {
    const kind = kindOfMessage(message);
    const owner = ownerOf(message);
    if (kind === 'call') {
      const parentId = this.parentIds.get(owner) ?? message.id;
      this.parentIds.set(owner, parentId);
      return parentId;
    }
    if (kind === 'text') this.parentIds.set(owner, message.id);
    else if (kind !== 'reasoning' && message.type !== 'mcp_approval_request') this.parentIds.delete(owner);
    return message.id;
  }

  /** The next message starts a new answer. */
  reset(): void {
    this.parentIds.clear();
  }
}

/**
 * Events that have the id of their subagent. Those that continue a message or call do not need it: they have
 * the owner that it was opened with (contract ag-ui, section 2.1, rule 10).
 */
const OWNED: ReadonlySet<AgUiEvent['type']> = new Set<AgUiEvent['type']>([
  'STEP_STARTED',
  'STEP_FINISHED',
  'TEXT_MESSAGE_START',
  'TOOL_CALL_START',
  'TOOL_CALL_RESULT',
  'STATE_SNAPSHOT',
  'STATE_DELTA',
  'ACTIVITY_SNAPSHOT',
  'ACTIVITY_DELTA',
  'REASONING_START',
  'REASONING_MESSAGE_START',
  'RAW',
  'CUSTOM',
]);

/** The events with their subagent; as they are for the run's own agent. */
export function owned(events: AgUiEvent[], owner: string | undefined): AgUiEvent[] {
  if (owner === undefined) return events;
  return events.map((event) => (OWNED.has(event.type) ? Object.assign({}, event, { subagentRunId: owner }) : event));
}

/** The subagent that wrote a message; undefined for the run's own agent. */
export function ownerOf({ metadata }: Pick<Message, 'metadata'>): string | undefined {
  const owner = metadata?.[SUBAGENT_ID];
  return typeof owner === 'string' ? owner : undefined;
}

/** What a tool message says of a call that was stopped before it had a result. */
export const STOPPED_RESULT = '{"status":"stopped","reason":"stop_requested"}';

/** The id of the tool message of a call that was stopped. */
export function stoppedResultId(callMessageId: string): string {
  return `${callMessageId}_stopped`;
}

/** The output of a call in a message of the log; undefined when the message names no call. */
export function callOutputOf(message: Message): { callId: string; output: string } | undefined {
  const data = dataOf(message);
  const callId = data?.['call_id'];
  if (typeof callId !== 'string') return undefined;
  const output = data?.['output'] ?? '';
  return { callId, output: typeof output === 'string' ? output : JSON.stringify(output) };
}

/** The result event of an output message. */
export function resultEvents(message: Message): AgUiEvent[] {
  const result = callOutputOf(message);
  if (!result) return [];
  return [
    {
      type: 'TOOL_CALL_RESULT',
      messageId: message.id,
      toolCallId: result.callId,
      content: result.output,
      role: 'tool',
      ...(message.metadata?.['is_error'] === true && { metadata: { isError: true } }),
    },
  ];
}
