import type { Message, MessageType } from '../../../events/index.js';

/** Calls that the server makes have the same prefix whatever their tool is. */
const SERVER_CALL_PREFIX = 'mcp_';
/** The prefixes of item ids. The rest is that of the id of the message. */
const PREFIXES: Partial<Record<MessageType, string>> = {
  function_call: 'fc_',
  function_call_output: 'fco_',
  reasoning: 'rs_',
  plugin_call: SERVER_CALL_PREFIX,
  component_call: SERVER_CALL_PREFIX,
  mcp_call: SERVER_CALL_PREFIX,
  plugin_call_output: 'mcpo_',
  component_call_output: 'mcpo_',
  mcp_call_output: 'mcpo_',
  mcp_list_tools: 'mcpl_',
  mcp_approval_response: 'mcpa_',
};
/** The prefix of the items that stand for a conversation: their messages have no type of their own. */
const COMPACTION_PREFIX = 'cmp_';
/** The prefix of messages inside the server. */
const MESSAGE_PREFIX = 'msg_';
const KNOWN_PREFIXES: readonly string[] = [...new Set(Object.values(PREFIXES)), COMPACTION_PREFIX];

/**
 * The id of the item that shows a message. It is derived, so that a stream, a stored response and every replay have
 * the same ids. An approval request has the id of its interrupt; for compactions see `compactionIdOf`.
 */
export function itemIdOf(message: Pick<Message, 'id' | 'type' | 'content'>): string {
  if (message.type === 'mcp_approval_request') return requestIdOf(message) ?? message.id;
  const prefix = PREFIXES[message.type];
  if (prefix === undefined || !message.id.startsWith(MESSAGE_PREFIX)) return message.id;
  return prefix + message.id.slice(MESSAGE_PREFIX.length);
}

/** The id of the item that shows a message with a summary. */
export function compactionIdOf({ id }: Pick<Message, 'id'>): string {
  return id.startsWith(MESSAGE_PREFIX) ? COMPACTION_PREFIX + id.slice(MESSAGE_PREFIX.length) : id;
}

/** The id of the message that an item shows: the inverse of `itemIdOf`, except for approval requests. */
export function messageIdOf(itemId: string): string {
  const prefix = KNOWN_PREFIXES.find((one) => itemId.startsWith(one));
  return prefix === undefined ? itemId : MESSAGE_PREFIX + itemId.slice(prefix.length);
}

/** True for the ids of `mcp_call` items. */
export function isServerCallId(itemId: string): boolean {
  return itemId.startsWith(SERVER_CALL_PREFIX);
}

/** The id of an approval request is in its data: it is that of the interrupt. */
function requestIdOf({ content }: Pick<Message, 'content'>): string | undefined {
  for (const part of content ?? []) {
    const id = part.type === 'data' ? part.data?.['id'] : undefined;
    if (typeof id === 'string' && id !== '') return id;
  }
  return undefined;
}
