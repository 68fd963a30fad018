import type { Json, JsonObject } from '../../../common/index.js';
import { isWholeSummary } from '../../../agent/index.js';
import {
  CONVERSATION_SUMMARY,
  type ContentInput,
  dataMessage,
  type Message,
  messageOf,
  type MessageInput,
  type MessageType,
} from '../../../events/index.js';
import { type FieldReader, fieldError, fieldReaderAt } from '../../http/bodies/field-reader.js';
import { unsupported } from '../../openai/index.js';
import { OPAQUE_ITEM } from '../items/input-item.js';
import { itemIdOf, messageIdOf } from '../items/item-ids.js';
import { keptPhase, PHASES } from '../items/phase.js';
import { decodeOutput, decodeParts } from './input-part.decoder.js';

/** Characters of an item's id. */
const ID_LENGTH = { min: 1, max: 250 };
/** The roles of this wire and those of the server: `developer` is a newer name for `system`. */
const ROLES = { user: 'user', assistant: 'assistant', system: 'system', developer: 'system' } as const;

/**
 * One item of `input`: its messages; a reference to a stored item; or a call of the server without its output,
 * which is looked up by the id, and is `messages` when the id is unknown.
 */
export type InputEntry =
  | { readonly kind: 'messages'; readonly messages: readonly Message[] }
  | { readonly kind: 'reference'; readonly id: string; readonly path: string }
  | { readonly kind: 'call'; readonly id: string; readonly messages: readonly Message[] };

/** What the decoder of items needs from outside. */
export interface ItemSources {
  /** An id for an item that has none. */
  readonly nextId: () => string;
  /** The text that this server has encrypted; undefined for anything else. */
  readonly decrypt: (content: string) => string | undefined;
}

/** What the decoder of one type of items needs. */
interface ItemContext extends ItemSources {
  /** The path of the item in the request, for errors. */
  readonly path: string;
  /** The id of the message that the item becomes. */
  readonly id: string;
}

/** @throws AppError naming the path of the field that is invalid */
type Decoder = (fields: FieldReader, context: ItemContext) => readonly Message[];

/** The decoders by item type. Items of other types are kept, but not given to the model. */
const DECODERS: Readonly<Record<string, Decoder>> = {
  message: decodeMessage,
  function_call: (fields, context) => [callMessage('function_call', fields, context, 'arguments')],
  function_call_output: (fields, context) => [outputMessage('function_call_output', fields, context)],
  custom_tool_call: (fields, context) => [callMessage('plugin_call', fields, context, 'input')],
  custom_tool_call_output: (fields, context) => [outputMessage('plugin_call_output', fields, context)],
  reasoning: decodeReasoning,
  mcp_call: decodeMcpCall,
  mcp_list_tools: decodeToolList,
  mcp_approval_request: (fields, context) => [dataItem('mcp_approval_request', fields, context)],
  mcp_approval_response: decodeApproval,
  compaction: decodeCompaction,
  compaction_summary: decodeCompaction,
};

/** Items that would change later requests, or this one, in a way that this server does not know. */
const REFUSED: Readonly<Record<string, string>> = {
  additional_tools: 'is additional_tools, which is not supported: declare the tools in tools',
  configuration_update: 'is configuration_update, which is not supported: set reasoning and text in each request',
  compaction_trigger: 'is compaction_trigger, which must be the last item of input',
};

/**
 * Decodes one item of `input` (contract responses, section A2). Without a `type`, an item with a role is a message
 * and one with only an id is a reference. Items of unknown types are kept and listed, but not given to the model.
 *
 * @throws AppError naming the path of the first invalid field
 * @throws OpenAiError `unsupported_value` for an item that would have an effect if this server knew it
 */
export function decodeInputItem(value: unknown, path: string, { nextId, decrypt }: ItemSources): InputEntry {
  const fields = fieldReaderAt(value, path);
  const id = fields.string('id', ID_LENGTH);
  const type = fields.string('type') ?? impliedType(fields, id);
  if (type === 'item_reference') {
    if (id === undefined) throw fieldError(fields.at('id'), 'is required', 'MISSING_PARAMETER');
    return { kind: 'reference', id, path };
  }
  const refusal = Object.hasOwn(REFUSED, type) ? REFUSED[type] : undefined;
  if (refusal !== undefined) throw unsupported(fields.at('type'), refusal);
  const context = { path, id: id === undefined ? nextId() : messageIdOf(id), nextId, decrypt };
  const decode = Object.hasOwn(DECODERS, type) ? DECODERS[type] : undefined;
  const messages = decode ? decode(fields, context) : [opaqueMessage(type, fields, context)];
  // Clients leave the output out, which may be long, and expect the server to have it.
  if (type === 'mcp_call' && id !== undefined && messages.length === 1) return { kind: 'call', id, messages };
  return { kind: 'messages', messages };
}

/** @throws AppError MISSING_PARAMETER if neither a role nor a lone id implies the type */
function impliedType(fields: FieldReader, id: string | undefined): string {
  if (fields.source['role'] !== undefined) return 'message';
  if (id !== undefined && Object.keys(fields.source).length === 1) return 'item_reference';
  throw fieldError(fields.at('type'), 'is required', 'MISSING_PARAMETER');
}

function decodeMessage(fields: FieldReader, { id }: ItemContext): readonly Message[] {
  const named = fields.filled('role');
  const role = Object.hasOwn(ROLES, named) ? ROLES[named as keyof typeof ROLES] : undefined;
  if (!role)
    throw fieldError(fields.at('role'), 'must be one of user, assistant, system, developer', 'INVALID_PARAMETER');
  const labels = role === 'assistant' ? { ...statusOf(fields), ...phaseOf(fields) } : {};
  return [messageOf({ id, role, ...labels }, decodeParts(fields, 'content'))];
}

/** The phase that the client repeats. @throws AppError INVALID_PARAMETER for one that does not exist */
function phaseOf(fields: FieldReader): Pick<MessageInput, 'metadata'> {
  const value = fields.string('phase');
  if (value === undefined) return {};
  const phase = PHASES.find((one) => one === value);
  if (!phase) throw fieldError(fields.at('phase'), `must be one of ${PHASES.join(', ')}`, 'INVALID_PARAMETER');
  return { metadata: keptPhase(phase) };
}

/**
 * Output that a client repeats stays incomplete; any other item of a request is complete. What has cut it is unknown:
 * with the code of the usual limit it is history as before.
 */
function statusOf({ source }: FieldReader): Pick<MessageInput, 'status' | 'code'> {
  return source['status'] === 'incomplete' ? { status: 'incomplete', code: 'max_output_tokens' } : {};
}

/** The call of a tool as a message of the assistant. The arguments are in a field that differs by item type. */
function callMessage(type: MessageType, fields: FieldReader, { id }: ItemContext, textField: string): Message {
  const data: JsonObject = {
    call_id: fields.filled('call_id'),
    name: fields.filled('name'),
    arguments: argumentsOf(fields, textField),
  };
  return dataMessage({ id, role: 'assistant', type, data, ...statusOf(fields) });
}

/** Arguments are JSON text; from a client that sends the object, the object as JSON text. */
function argumentsOf(fields: FieldReader, name: string): string {
  const value = fields.source[name];
  if (value === undefined || value === null) throw fieldError(fields.at(name), 'is required', 'MISSING_PARAMETER');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The output of a tool that the client ran. */
function outputMessage(type: MessageType, fields: FieldReader, { id }: ItemContext): Message {
  const callId = fields.filled('call_id');
  const { output, images } = decodeOutput(fields);
  return messageOf({ id, role: 'tool', type }, [{ type: 'data', data: { call_id: callId, output } }, ...images]);
}

/** Summary and content are one text for the model, so both become parts of one message. */
function decodeReasoning(fields: FieldReader, { id }: ItemContext): readonly Message[] {
  const parts = [...(fields.list('summary', 1000) ?? []), ...(fields.list('content', 1000) ?? [])];
  const contents = parts.map((part, index): ContentInput => {
    const text = fieldReaderAt(part, `${fields.at('summary')}[${index}]`).string('text') ?? '';
    return { type: 'text', text };
  });
  return [messageOf({ id, role: 'assistant', type: 'reasoning', ...statusOf(fields) }, contents)];
}

/** The call and, when the item has it, its output or error. */
function decodeMcpCall(fields: FieldReader, { id, nextId }: ItemContext): readonly Message[] {
  const callId = id;
  const name = fields.filled('name');
  const label = fields.string('server_label') ?? '';
  const data: JsonObject = { call_id: callId, name, arguments: argumentsOf(fields, 'arguments'), server_label: label };
  const call = dataMessage({ id, role: 'assistant', type: 'mcp_call', data });
  const error = fields.source['error'] ?? null;
  const output = fields.string('output') ?? (error === null ? undefined : JSON.stringify(error));
  if (output === undefined) return [call];
  const metadata: JsonObject | null = error === null ? null : { is_error: true };
  const result: JsonObject = { call_id: callId, name, output };
  return [call, dataMessage({ id: nextId(), role: 'tool', type: 'mcp_call_output', data: result, metadata })];
}

/** Unlike the lists that agents write, one from a client is listed unchanged. */
function decodeToolList(fields: FieldReader, context: ItemContext): readonly Message[] {
  const message = dataItem('mcp_list_tools', fields, context);
  return [{ ...message, metadata: { [OPAQUE_ITEM]: { ...fields.source, id: itemIdOf(message) } as Json } }];
}

/** Keeps an item that only clients interpret; its status belongs to the item, not to the message. */
function dataItem(type: MessageType, fields: FieldReader, { id }: ItemContext): Message {
  const { type: _type, status: _status, ...data } = fields.source as JsonObject;
  return dataMessage({ id, role: 'assistant', type, data });
}

/** The user's decision about a call. @throws AppError MISSING_PARAMETER without `approve` or the request's id */
function decodeApproval(fields: FieldReader, { id }: ItemContext): readonly Message[] {
  const approve = fields.boolean('approve');
  if (approve === undefined) throw fieldError(fields.at('approve'), 'is required', 'MISSING_PARAMETER');
  const reason = fields.string('reason');
  const data: JsonObject = {
    approval_request_id: fields.filled('approval_request_id'),
    approve,
    ...(reason !== undefined && { reason }),
  };
  return [dataMessage({ id, role: 'user', type: 'mcp_approval_response', data })];
}

/** Restores the text that the server encrypted. @throws AppError INVALID_PARAMETER if this server did not encrypt it */
function decodeCompaction(fields: FieldReader, { id, decrypt }: ItemContext): readonly Message[] {
  const text = decrypt(fields.filled('encrypted_content'));
  if (text === undefined) {
    throw fieldError(fields.at('encrypted_content'), 'was not made by this server', 'INVALID_PARAMETER');
  }
  const metadata: JsonObject = { [OPAQUE_ITEM]: fields.source as Json };
  // One that stands for everything before it, or one beside which the user's messages stand.
  if (isWholeSummary(text)) {
    return [
      messageOf(
        { id, role: 'assistant', type: 'reasoning', metadata: { ...metadata, [CONVERSATION_SUMMARY]: text } },
        [],
      ),
    ];
  }
  return [messageOf({ id, role: 'system', metadata }, [{ type: 'text', text }])];
}

/** Kept in the history, so that it can be listed and referred to, as a kind of message that the model does not get. */
function opaqueMessage(type: string, fields: FieldReader, { id }: ItemContext): Message {
  const metadata = { [OPAQUE_ITEM]: { ...fields.source, type } as Json };
  return messageOf({ id, role: 'assistant', type: 'reasoning', metadata }, []);
}
