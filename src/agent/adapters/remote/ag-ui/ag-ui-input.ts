import { assertUnreachable, type JsonObject } from '../../../../common/index.js';
import type { ToolDeclaration } from '../../../tools/index.js';
import type { AgentContext } from '../../../agent.js';
import type { ModelMessage, ModelPart } from '../../../ports/model-client.js';
import { NO_RESULT } from '../../../prompt/prompt.js';
import type { NamedMessage } from '../remote-kind.js';

type AssistantMessage = Extract<ModelMessage, { readonly role: 'assistant' }>;

/** A conversation as messages of AG-UI: a text and its calls are one message, and every call has a result. */
export function agUiMessages(named: readonly NamedMessage[], instructions: string): JsonObject[] {
  const messages: JsonObject[] = [];
  if (instructions !== '') messages.push({ id: 'instructions', role: 'system', content: instructions });
  const answered = new Set(named.flatMap(({ message }) => (message.role === 'tool' ? [message.callId] : [])));
  let open: { readonly id: string; readonly message: AssistantMessage } | undefined;
  const close = (isLast: boolean): void => {
    if (!open) return;
    messages.push(assistantMessage(open.id, open.message));
    for (const { id } of isLast ? [] : open.message.toolCalls) {
      if (!answered.has(id)) messages.push({ id: `${id}-none`, role: 'tool', toolCallId: id, content: NO_RESULT });
    }
    open = undefined;
  };
  for (const { id, message } of named) {
    if (message.role === 'assistant' && open?.id === id) open = { id, message: joined(open.message, message) };
    else {
      close(false);
      if (message.role === 'assistant') open = { id, message };
      else messages.push(otherMessage(id, message));
    }
  }
  close(true);
  return messages;
}

function joined(one: AssistantMessage, other: AssistantMessage): AssistantMessage {
  return { role: 'assistant', content: one.content + other.content, toolCalls: [...one.toolCalls, ...other.toolCalls] };
}

function assistantMessage(id: string, { content, toolCalls }: AssistantMessage): JsonObject {
  const calls = toolCalls.map((call) => {
    return { id: call.id, type: 'function', function: { name: call.name, arguments: call.arguments } };
  });
  return {
    id,
    role: 'assistant',
    ...(content !== '' && { content }),
    ...(calls.length > 0 && { toolCalls: calls }),
  };
}

function otherMessage(id: string, message: Exclude<ModelMessage, AssistantMessage>): JsonObject {
  switch (message.role) {
    case 'system':
      return { id, role: 'system', content: message.content };
    case 'user':
      return { id, role: 'user', content: contentOf(message.content) };
    case 'tool':
      return { id, role: 'tool', toolCallId: message.callId, content: message.content };
    default:
      return assertUnreachable(message);
  }
}

/** A text where there is only one: older servers take nothing else. */
function contentOf(parts: readonly ModelPart[]): string | JsonObject[] {
  if (parts.every(({ type }) => type === 'text')) {
    return parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  }
  return parts.map(inputPart);
}

function inputPart(part: ModelPart): JsonObject {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return { type: 'image', source: sourceOf(part.url, part.mimeType) };
    case 'audio':
      return { type: 'audio', source: { type: 'data', value: part.data, mimeType: `audio/${part.format}` } };
    case 'file': {
      const { data, url, filename } = part;
      const source = sourceOf(data ?? url ?? '', undefined);
      return { type: kindOf(source), source, ...(filename !== null && { metadata: { filename } }) };
    }
    default:
      return assertUnreachable(part);
  }
}

/** An address, or bytes in base64 with or without their type. @param type of what an address names, if it is known */
function sourceOf(address: string, type: string | undefined): JsonObject {
  const [, mimeType, data] = /^data:([^;,]+)?;base64,(.*)$/s.exec(address) ?? [];
  if (data === undefined && /^https?:/.test(address)) {
    return { type: 'url', value: address, ...(type !== undefined && { mimeType: type }) };
  }
  return { type: 'data', value: data ?? address, mimeType: mimeType ?? type ?? 'application/octet-stream' };
}

/** The kind of part for a file of this type. */
function kindOf({ mimeType }: JsonObject): string {
  const [, kind] = /^(image|audio|video)\//.exec(typeof mimeType === 'string' ? mimeType : '') ?? [];
  return kind ?? 'document';
}

/** The tools that the client runs. */
export function agUiTools(tools: readonly ToolDeclaration[]): JsonObject[] {
  return tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
}

/** What the agent should know of the user. */
export function contextEntries(
  { locale, timeZone, requestedAt }: AgentContext,
  user: string | undefined,
): JsonObject[] {
  return [
    ...(locale === null ? [] : [{ description: 'Language of the user', value: locale }]),
    { description: 'Time of the request', value: new Date(requestedAt).toISOString() },
    { description: 'Time zone of the user', value: timeZone },
    ...(user === undefined ? [] : [{ description: 'User', value: user }]),
  ];
}
