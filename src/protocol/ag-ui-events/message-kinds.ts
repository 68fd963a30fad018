import type { Message, MessageType } from '../../events/index.js';

const CALLS: ReadonlySet<MessageType> = new Set(['function_call', 'plugin_call', 'component_call', 'mcp_call']);
const OUTPUTS: ReadonlySet<MessageType> = new Set([
  'function_call_output',
  'plugin_call_output',
  'component_call_output',
  'mcp_call_output',
]);

/** What a message of the log is on AG-UI. */
export type MessageKind = 'text' | 'reasoning' | 'call' | 'output' | 'custom' | 'silent';

/** Tells the kind by type and role. */
export function kindOfMessage({ type, role }: Pick<Message, 'type' | 'role'>): MessageKind {
  if (CALLS.has(type)) return 'call';
  if (OUTPUTS.has(type)) return 'output';
  if (type === 'message') return role === 'assistant' ? 'text' : 'silent';
  if (type === 'reasoning') return 'reasoning';
  return type === 'a2ui_response' || type === 'a2ui_action' || type === 'mcp_list_tools' ? 'custom' : 'silent';
}

/**
 * Tells which assistant message each call belongs to, in the order of the log: the text said before it
 * in the same answer, else the first call of the answer. An output or a new text begins another answer,
 * so that rounds of tools do not share a message.
 */
export class CallParents {
  private parentId: string | undefined;

  /** Notes a message that is announced and returns the id of the message it is shown as. */
  note(message: Pick<Message, 'id' | 'type' | 'role'>): string {
    const kind = kindOfMessage(message);
    if (kind === 'call') return (this.parentId ??= message.id);
    if (kind === 'text') this.parentId = message.id;
    else if (kind !== 'reasoning' && message.type !== 'mcp_approval_request') this.parentId = undefined;
    return message.id;
  }

  /** A new answer begins, whatever comes. */
  reset(): void {
    this.parentId = undefined;
  }
}
