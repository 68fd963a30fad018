import type { Message, MessageType } from '../../events/index.js';
import { ownerOf } from './ownership.js';

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
 * so that rounds of tools do not share a message. Each subagent has answers of its own.
 */
export class CallParents {
  /** By the subagent whose answer it is; undefined for the run's own agent. */
  private readonly parentIds = new Map<string | undefined, string>();

  /** Notes a message that is announced and returns the id of the message it is shown as. */
  note(message: Pick<Message, 'id' | 'type' | 'role' | 'metadata'>): string {
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

  /** A new answer begins, whatever comes. */
  reset(): void {
    this.parentIds.clear();
  }
}
