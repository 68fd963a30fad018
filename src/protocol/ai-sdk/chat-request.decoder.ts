import { AppError, isPlainObject, type Json, type JsonObject, PLAIN_TEXT } from '../../common/index.js';
import type { InterruptAnswer } from '../../run/index.js';
import type { ClientTime, ToolDeclaration } from '../../agent/tools/index.js';
import { clientState, decodeTools } from '../ag-ui-events/index.js';
import { checkClientTime } from '../http/bodies/client-time.js';
import { type FieldReader, fieldError, fieldReaderAt, kindOf } from '../http/bodies/field-reader.js';
import { decodeUserMessage, ID_LENGTH, partsOf, type UserMessage } from './user-message.decoder.js';

/** Items that a request may have at most, per list. */
const MAX_MESSAGES = 10_000;
const MAX_TOOLS = 256;
const MAX_ANSWERS = 256;
/** Characters of the title of a tool that are kept. */
const MAX_TITLE = 200;
/** A chat with this name would collide with the routes of agents. */
export const RESERVED_ID = 'agents';
const TRIGGERS = ['submit-message', 'regenerate-message'] as const;

/** A decision about an approval that a part of a message reports. */
export interface ReportedDecision {
  readonly approvalId: string;
  readonly approved: boolean;
  readonly reason?: string | undefined;
}

/** The output of a call of the client that a part of a message reports. */
export interface ReportedOutput {
  readonly callId: string;
  /** Text, or JSON text. */
  readonly output: string;
  /** True if the page has given a text, whatever it says. */
  readonly isText: boolean;
  readonly isError: boolean;
}

/** The last message of a request: the only one that is believed (contract ui-message-stream, section 0, rule 2). */
export type LastMessage =
  | ({ readonly role: 'user'; readonly id: string } & UserMessage)
  | {
      readonly role: 'assistant';
      readonly id: string;
      readonly decisions: readonly ReportedDecision[];
      readonly outputs: readonly ReportedOutput[];
    };

/** A request for an answer, decoded. */
export interface ChatRequest {
  readonly chatId: string;
  readonly trigger: (typeof TRIGGERS)[number];
  readonly messageId: string | undefined;
  readonly last: LastMessage;
  /** The messages before the last one: they count in a session that is not known yet. */
  readonly earlier: readonly unknown[];
  readonly agentId: string | undefined;
  readonly system: string | undefined;
  readonly tools: readonly ToolDeclaration[];
  /** The titles of those that have one, by their names. */
  readonly titles: Readonly<Record<string, string>>;
  readonly answers: readonly InterruptAnswer[];
  readonly clientTime: ClientTime | undefined;
  readonly locale: string | undefined;
  readonly state: JsonObject | undefined;
  readonly metadata: JsonObject | undefined;
}

/**
 * Decodes the body of a request (contract ui-message-stream, section A2). Unknown fields are ignored, because pages add
 * their own.
 *
 * @param maxBytes of one file
 * @throws AppError naming the path of the first invalid field
 */
export function decodeChatRequest(body: unknown, maxBytes: number): ChatRequest {
  if (!isPlainObject(body)) {
    const message = `The request body must be a JSON object, not ${kindOf(body ?? null)}`;
    throw new AppError('PARAMETER_VALIDATION', message, { details: [{ path: 'id', message }] });
  }
  const root = fieldReaderAt(body, '');
  const state = root.object('state') as JsonObject | undefined;
  const tools = toolItems(root);
  return {
    chatId: checkedChatId(root.string('id', ID_LENGTH)),
    trigger: triggerOf(root),
    messageId: root.string('messageId', ID_LENGTH),
    ...messagesOf(root, maxBytes),
    agentId: root.string('agentId', ID_LENGTH),
    system: root.string('system'),
    tools: decodeTools(tools, parametersOf),
    titles: titlesOf(tools),
    answers: (root.list('answers', MAX_ANSWERS) ?? []).map(decodeAnswer),
    clientTime: clientTimeOf(root.source['clientTime']),
    locale: root.string('locale', { min: 1, max: 64 }),
    state: state && clientState(state),
    metadata: root.object('metadata') as JsonObject | undefined,
  };
}

/** @throws AppError for an id that no chat can have */
export function checkedChatId(id: string | undefined): string {
  if (id === undefined) throw fieldError('id', 'is required', 'MISSING_PARAMETER');
  if (id === '' || id.length > ID_LENGTH.max) {
    throw fieldError('id', `must have ${ID_LENGTH.min} to ${ID_LENGTH.max} characters`, 'INVALID_PARAMETER');
  }
  if (!PLAIN_TEXT.test(id)) throw fieldError('id', 'must not contain control characters', 'INVALID_PARAMETER');
  if (id === RESERVED_ID) throw fieldError('id', `must not be ${RESERVED_ID}`, 'INVALID_PARAMETER');
  return id;
}

function triggerOf(fields: FieldReader): (typeof TRIGGERS)[number] {
  const value = fields.string('trigger') ?? 'submit-message';
  const trigger = TRIGGERS.find((one) => one === value);
  if (!trigger) throw fieldError('trigger', `must be one of ${TRIGGERS.join(', ')}`, 'INVALID_PARAMETER');
  return trigger;
}

function messagesOf(fields: FieldReader, maxBytes: number): Pick<ChatRequest, 'last' | 'earlier'> {
  const items = fields.list('messages', MAX_MESSAGES);
  if (items) {
    if (items.length === 0) throw fieldError('messages', 'must have a message', 'INVALID_PARAMETER');
    const path = `messages[${items.length - 1}]`;
    return { last: decodeLast(items.at(-1), path, maxBytes), earlier: items.slice(0, -1) };
  }
  const only = fields.source['message'];
  if (only === undefined || only === null) throw fieldError('messages', 'is required', 'MISSING_PARAMETER');
  return { last: decodeLast(only, 'message', maxBytes), earlier: [] };
}

function decodeLast(value: unknown, path: string, maxBytes: number): LastMessage {
  const fields = fieldReaderAt(value, path);
  const id = fields.required('id', ID_LENGTH);
  const role = fields.required('role');
  if (role === 'user') return { role, id, ...decodeUserMessage(fields, id, maxBytes) };
  if (role === 'assistant') return { role, id, ...decodeAnswers(fields) };
  throw fieldError(fields.at('role'), 'of the last message must be user or assistant', 'INVALID_PARAMETER');
}

/** Of a message of the assistant only what answers something counts. */
function decodeAnswers(fields: FieldReader): Pick<LastMessage & { role: 'assistant' }, 'decisions' | 'outputs'> {
  const decisions: ReportedDecision[] = [];
  const outputs: ReportedOutput[] = [];
  for (const part of partsOf(fields)) {
    const type = part.string('type') ?? '';
    if (!type.startsWith('tool-') && type !== 'dynamic-tool') continue;
    const state = part.string('state');
    if (state === 'approval-responded') {
      const approval = fieldReaderAt(part.source['approval'], part.at('approval'));
      const [approvalId, approved] = [approval.string('id', ID_LENGTH), approval.boolean('approved')];
      if (approvalId === undefined) throw fieldError(approval.at('id'), 'is required', 'MISSING_PARAMETER');
      if (approved === undefined) throw fieldError(approval.at('approved'), 'is required', 'MISSING_PARAMETER');
      decisions.push({ approvalId, approved, reason: approval.string('reason') });
    } else if (state === 'output-available' || state === 'output-error') {
      const callId = part.required('toolCallId', ID_LENGTH);
      const isError = state === 'output-error';
      const output = isError ? (part.string('errorText') ?? '') : outputText(part);
      outputs.push({ callId, output, isText: typeof part.source['output'] === 'string', isError });
    }
  }
  return { decisions, outputs };
}

function outputText(part: FieldReader): string {
  const output = part.source['output'] as Json | undefined;
  return typeof output === 'string' ? output : JSON.stringify(output ?? null);
}

/** A list of declarations, or a record of them by name. */
function toolItems(fields: FieldReader): readonly unknown[] {
  const given = fields.source['tools'];
  if (!isPlainObject(given)) return fields.list('tools', MAX_TOOLS) ?? [];
  const entries = Object.entries(given);
  if (entries.length > MAX_TOOLS) {
    throw fieldError('tools', `must have at most ${MAX_TOOLS} items, not ${entries.length}`, 'INVALID_PARAMETER');
  }
  return entries.map(([name, tool]) => (isPlainObject(tool) ? { ...tool, name } : tool));
}

function titlesOf(tools: readonly unknown[]): Readonly<Record<string, string>> {
  const titled = tools.flatMap((tool): [string, string][] => {
    if (!isPlainObject(tool)) return [];
    const { name, title } = tool;
    return typeof name === 'string' && typeof title === 'string' && title !== ''
      ? [[name, title.slice(0, MAX_TITLE)]]
      : [];
  });
  return Object.fromEntries(titled);
}

function parametersOf(tool: FieldReader): JsonObject {
  const schema = tool.object('inputSchema') ?? tool.object('parameters');
  const inner = schema && isPlainObject(schema['jsonSchema']) ? schema['jsonSchema'] : schema;
  return (inner ?? { type: 'object', properties: {} }) as JsonObject;
}

function decodeAnswer(item: unknown, index: number): InterruptAnswer {
  const fields = fieldReaderAt(item, `answers[${index}]`);
  const interruptId = fields.required('interruptId', ID_LENGTH);
  const [approve, reason] = [fields.boolean('approved'), fields.string('reason')];
  const payload = fields.source['payload'] as Json | undefined;
  return {
    interruptId,
    status: 'resolved',
    ...(approve !== undefined && { approve }),
    ...(reason !== undefined && { reason }),
    ...(payload !== undefined && { payload }),
  };
}

function clientTimeOf(value: unknown): ClientTime | undefined {
  if (value === undefined || value === null) return undefined;
  const result = checkClientTime(value);
  if (result.ok) return result.value;
  throw fieldError(['clientTime', result.field].filter(Boolean).join('.'), 'is invalid', 'INVALID_PARAMETER');
}
