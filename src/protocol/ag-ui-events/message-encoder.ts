import { isPlainObject, type JsonObject } from '../../common/index.js';
import { type Content, dataOf, isTerminalStatus, type Message, textOf } from '../../events/index.js';
import type { AgUiGeneration, AgUiMessage, AgUiPart, AgUiSource, AgUiToolCall } from './ag-ui.types.js';
import { CallParents, callOutputOf, CLIENT_METADATA, kindOfMessage, ownerOf } from './message-kinds.js';

/**
 * Messages of a session or run as AG-UI shows them. Ids are those of the stream: a call joins the
 * assistant's message that it was streamed with. Messages that AG-UI does not know are left out, and
 * so is what is not over.
 */
export function toAgUiMessages(messages: readonly Message[], generation: AgUiGeneration): AgUiMessage[] {
  const shown: AgUiMessage[] = [];
  const places = new Map<string, number>();
  const parents = new CallParents();
  for (const message of messages) {
    const parentId = parents.add(message);
    if (!isTerminalStatus(message.status) && message.status !== 'created') continue;
    if (kindOfMessage(message) === 'call') addCall(shown, places, parentId, message);
    else {
      const encoded = encodeMessage(message, generation);
      if (!encoded) continue;
      const own = Object.assign(encoded, encryptedValue(message), metadataField(message), ownerField(message));
      places.set(own.id, shown.length);
      shown.push(own);
    }
  }
  return shown;
}

/** Adds a call to its assistant's message, or makes that message when the call came without text. */
function addCall(shown: AgUiMessage[], places: Map<string, number>, parentId: string, message: Message): void {
  const call = toolCallOf(message);
  if (!call) return;
  const place = places.get(parentId);
  const parent = place === undefined ? undefined : shown[place];
  if (place === undefined || parent?.role !== 'assistant') {
    places.set(parentId, shown.length);
    shown.push({ id: parentId, role: 'assistant', toolCalls: [call], ...ownerField(message) });
    return;
  }
  shown[place] = Object.assign({}, parent, { toolCalls: [...(parent.toolCalls ?? []), call] });
}

/** The metadata that the client gave a message. */
function metadataField(message: Message): { metadata?: JsonObject } {
  const metadata = message.metadata?.[CLIENT_METADATA];
  return isPlainObject(metadata) ? { metadata } : {};
}

/** The subagent that wrote the message. */
function ownerField(message: Message): { subagentRunId?: string } {
  const owner = ownerOf(message);
  return owner === undefined ? {} : { subagentRunId: owner };
}

/** The call of a message, its arguments as JSON text; undefined for data without an id or a name. */
function toolCallOf(message: Message): AgUiToolCall | undefined {
  const { call_id: id, name, arguments: args } = dataOf(message) ?? {};
  if (typeof id !== 'string' || typeof name !== 'string') return undefined;
  const text = typeof args === 'string' ? args : JSON.stringify(args ?? {});
  return { id, type: 'function', function: { name, arguments: text }, ...encryptedValue(message) };
}

/** A message that is not a call; undefined for types that AG-UI does not know. */
function encodeMessage(message: Message, generation: AgUiGeneration): AgUiMessage | undefined {
  const { id, role } = message;
  const kind = kindOfMessage(message);
  if (kind === 'output') return toolMessage(message);
  if (kind === 'reasoning') return { id, role: 'reasoning', content: textOf(message) };
  if (message.type !== 'message') return undefined;
  if (role === 'assistant') return { id, role, content: wordsOf(message), ...nameOf(message) };
  if (role === 'user') return { id, role, content: userContent(message, generation), ...nameOf(message) };
  if (role !== 'system') return undefined;
  const asDeveloper = message.metadata?.['original_role'] === 'developer';
  return { id, role: asDeveloper ? 'developer' : 'system', content: textOf(message), ...nameOf(message) };
}

/** AG-UI has no flag for a failed call: the output is repeated in `error`. */
function toolMessage(message: Message): AgUiMessage | undefined {
  const result = callOutputOf(message);
  if (!result) return undefined;
  const isError = message.metadata?.['is_error'] === true;
  const { callId: toolCallId, output: content } = result;
  return { id: message.id, role: 'tool', toolCallId, content, ...(isError && { error: content }) };
}

/** All texts and refusals of an assistant's message as one text. */
function wordsOf(message: Message): string {
  return (message.content ?? [])
    .map((content) => (content.type === 'refusal' ? (content.refusal ?? '') : textOf({ content: [content] })))
    .join('');
}

/** The name of the author, if the client gave one. */
function nameOf(message: Message): { name?: string } {
  const name = message.metadata?.['name'];
  return typeof name === 'string' ? { name } : {};
}

/** The provider's opaque value, which a client sends back unchanged. */
function encryptedValue(message: Message): { encryptedValue?: string } {
  const value = message.metadata?.['encrypted_value'];
  return typeof value === 'string' ? { encryptedValue: value } : {};
}

/** A single text as a string; anything else as parts. */
function userContent(message: Message, generation: AgUiGeneration): string | readonly AgUiPart[] {
  const contents = message.content ?? [];
  if (contents.every(({ type }) => type === 'text') && contents.length <= 1) return textOf(message);
  return contents.flatMap((content) => partOf(content, generation));
}

/** A content as AG-UI parts; none when it has no address and no data. */
function partOf(content: Content, generation: AgUiGeneration): AgUiPart[] {
  switch (content.type) {
    case 'text':
      return [{ type: 'text', text: content.text ?? '' }];
    case 'refusal':
      return [{ type: 'text', text: content.refusal ?? '' }];
    case 'data':
      return [{ type: 'text', text: JSON.stringify(content.data ?? {}) }];
    case 'image':
      return content.image_url === null ? [] : [{ type: 'image', source: sourceOf(content.image_url, 'image/png') }];
    case 'video':
      return content.video_url === null ? [] : [{ type: 'video', source: sourceOf(content.video_url, 'video/mp4') }];
    case 'audio':
      return content.data === null ? [] : [audioPart(content.data, content.format)];
    case 'file':
      return filePart(content, generation);
  }
}

/** The audio's `data` may be an address, a `data:` URL or bare base64. */
function audioPart(data: string, format: string | null): AgUiPart {
  if (/^(data|https?):/.test(data)) return { type: 'audio', source: sourceOf(data, 'audio/wav') };
  return { type: 'audio', source: { type: 'data', value: data, mimeType: `audio/${format ?? 'wav'}` } };
}

/** Before 1.0 there is no source for a provider's file id: a text names the file instead. */
function filePart(content: Extract<Content, { type: 'file' }>, generation: AgUiGeneration): AgUiPart[] {
  const { file_url: url, file_id: id, file_data: data, filename } = content;
  const metadata = filename === null ? {} : { metadata: { filename } };
  const mimeType = 'application/octet-stream';
  if (url !== null) return [{ type: 'document', source: sourceOf(url, mimeType), ...metadata }];
  if (data !== null && data.startsWith('data:'))
    return [{ type: 'document', source: sourceOf(data, mimeType), ...metadata }];
  if (data !== null) return [{ type: 'document', source: { type: 'data', value: data, mimeType }, ...metadata }];
  if (id === null) return [];
  if (generation === 'v1') return [{ type: 'document', source: { type: 'file', value: id }, ...metadata }];
  return [{ type: 'text', text: `[file ${filename ?? id}]` }];
}

/** A `data:` URL as data, any other address as it is. */
function sourceOf(url: string, mimeType: string): AgUiSource {
  const match = /^data:([^;,]+)?(?:;[^;,]+)*;base64,(.*)$/s.exec(url);
  if (!match) return { type: 'url', value: url };
  return { type: 'data', value: match[2] ?? '', mimeType: match[1] ?? mimeType };
}
