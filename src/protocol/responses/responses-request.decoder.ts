import { AppError, isPlainObject } from '../../common/index.js';
import type { ModelOptions } from '../../agent/index.js';
import type { ToolDeclaration } from '../../agent/tools/index.js';
import { messageOf } from '../../events/index.js';
import { presentOptions } from '../openai/index.js';
import { FieldReader, fieldError, fieldReaderAt, kindOf } from '../http/bodies/field-reader.js';
import { decodeInputItem, type InputEntry, type ItemSources } from './request/input-item.decoder.js';
import { echoOf, ID_LENGTH, type Modes, type ResponseEcho } from './request/options.js';
import {
  decodeCompactThreshold,
  decodeNumbers,
  decodeReasoningSetting,
  decodeText,
} from './request/setting.decoder.js';
import { decodeToolChoice, decodeTools, type McpToolRequest } from './request/tool.decoder.js';

/** The most items in `input`. */
const MAX_ITEMS = 10_000;
/** The most entries in `tools`. */
const MAX_TOOLS = 128;
const KEY_LENGTH = { min: 1, max: 64 };

/** A decoded request for a response. */
export interface CreateRequest {
  /** Events instead of one JSON response. */
  readonly stream: boolean;
  /** The client polls for the result; requires `store`. */
  readonly background: boolean;
  /** Default true. */
  readonly store: boolean;
  /** The response to continue from; never together with `conversationId`. */
  readonly previousResponseId: string | undefined;
  readonly conversationId: string | undefined;
  /** `user`, otherwise `safety_identifier`; without either, a new conversation has a user of its own. */
  readonly user: string | undefined;
  readonly instructions: string | undefined;
  /** In the order of the request; references are not resolved yet. */
  readonly input: readonly InputEntry[];
  /** The input ends with a `compaction_trigger`: the response is nothing but a `compaction`. */
  readonly isCompaction: boolean;
  /** Only those that `tool_choice` allows. */
  readonly clientTools: readonly ToolDeclaration[];
  readonly mcpTools: readonly McpToolRequest[];
  /** The types of tools that this server does not have. */
  readonly skippedTools: readonly string[];
  readonly modelOptions: ModelOptions;
  /** The settings as the response repeats them, with their defaults. */
  readonly echo: ResponseEcho;
}

/** What the decoder needs from outside. */
export interface CreateRequestOptions {
  /** What items can refer to, and how encrypted content is read. */
  readonly items: ItemSources;
  /** The `model` of requests without one. */
  readonly defaultModel: string;
}

/**
 * Decodes the body of `POST /responses` (contract responses, section A2). Unknown fields are ignored, and null
 * means absent. Fields are checked in a fixed order, and the first invalid one is reported. Expects JSON that
 * has passed `checkJsonLimits`.
 *
 * @throws AppError MISSING_PARAMETER, PARAMETER_VALIDATION (wrong type), INVALID_PARAMETER (wrong value)
 */
export function decodeCreateRequest(body: unknown, options: CreateRequestOptions): CreateRequest {
  const fields = bodyFields(body);
  const numbers = decodeNumbers(fields);
  const tools = decodeTools(fields.list('tools', MAX_TOOLS) ?? []);
  const choice = decodeToolChoice(fields, tools);
  const text = decodeText(fields);
  const reasoning = decodeReasoningSetting(fields);
  const modes = modesOf(fields);
  const parallel = fields.boolean('parallel_tool_calls');
  const instructions = instructionsOf(fields);
  const user = fields.string('user', ID_LENGTH);
  const safetyIdentifier = fields.string('safety_identifier', KEY_LENGTH);
  const { defaultModel } = options;
  const read = { fields, numbers, tools, choice, text, reasoning, modes, parallel, instructions, user };
  const echo = echoOf(Object.assign(read, { safetyIdentifier, defaultModel }));
  const modelOptions = presentOptions({
    temperature: numbers.temperature,
    topP: numbers.topP,
    frequencyPenalty: numbers.frequencyPenalty,
    presencePenalty: numbers.presencePenalty,
    maxTokens: numbers.maxOutputTokens,
    responseFormat: text.responseFormat,
    toolChoice: choice.toolChoice,
    parallelToolCalls: parallel,
    reasoningEffort: reasoning.effort ?? undefined,
    compactAbove: decodeCompactThreshold(fields),
  });
  return {
    user: user ?? safetyIdentifier,
    instructions,
    input: decodeInput(fields, options.items),
    isCompaction: endsWithTrigger(fields),
    clientTools: tools.clientTools.filter(({ name }) => choice.allowed?.has(name) ?? true),
    mcpTools: tools.mcp,
    skippedTools: tools.skipped,
    modelOptions,
    echo,
    ...modes,
  };
}

/** The fields of a body. @throws AppError PARAMETER_VALIDATION when it is not an object */
export function bodyFields(body: unknown): FieldReader {
  if (isPlainObject(body)) return new FieldReader(body, '');
  throw new AppError('PARAMETER_VALIDATION', `The request body must be a JSON object, not ${kindOf(body ?? null)}`);
}

/** `input`: a text of the user, or a list of items; empty when it is absent. */
export function decodeInput(fields: FieldReader, sources: ItemSources): readonly InputEntry[] {
  if (typeof fields.source['input'] === 'string') {
    const contents = [{ type: 'text' as const, text: fields.source['input'] }];
    return [{ kind: 'messages', messages: [messageOf({ id: sources.nextId(), role: 'user' }, contents)] }];
  }
  const given = fields.list('input', MAX_ITEMS) ?? [];
  const items = endsWithTrigger(fields) ? given.slice(0, -1) : given;
  return items.map((item, index) => decodeInputItem(item, `${fields.at('input')}[${index}]`, sources));
}

/** Anywhere else the item is refused. */
function endsWithTrigger(fields: FieldReader): boolean {
  const { input } = fields.source;
  const last: unknown = Array.isArray(input) ? input.at(-1) : undefined;
  return isPlainObject(last) && last['type'] === 'compaction_trigger';
}

/** @throws AppError for fields that exclude each other */
function modesOf(fields: FieldReader): Modes {
  const previousResponseId = fields.string('previous_response_id', ID_LENGTH);
  const conversationId = conversationOf(fields);
  if (previousResponseId !== undefined && conversationId !== undefined) {
    const rule = 'must not be given together with conversation';
    throw fieldError(fields.at('previous_response_id'), rule, 'INVALID_PARAMETER');
  }
  const store = fields.boolean('store') ?? true;
  const background = fields.boolean('background') ?? false;
  if (background && !store) throw fieldError('background', 'needs store to be true', 'INVALID_PARAMETER');
  return { stream: fields.boolean('stream') ?? false, background, store, previousResponseId, conversationId };
}

/** The id, which is given directly or as the `id` of an object. @throws AppError MISSING_PARAMETER without an id */
function conversationOf(fields: FieldReader): string | undefined {
  const value = fields.source['conversation'];
  if (value === undefined || value === null || typeof value === 'string')
    return fields.string('conversation', ID_LENGTH);
  const inner = fieldReaderAt(value, fields.at('conversation'));
  const id = inner.required('id', ID_LENGTH);
  return id;
}

/** A string; the texts of a list of messages, which some clients send, are joined. */
function instructionsOf(fields: FieldReader): string | undefined {
  const value = fields.source['instructions'];
  if (!Array.isArray(value)) return fields.string('instructions');
  const texts = value.map((item: unknown, index) => {
    const one = fieldReaderAt(item, `${fields.at('instructions')}[${index}]`);
    if (typeof one.source['content'] === 'string') return one.source['content'];
    const parts = one.list('content', MAX_ITEMS) ?? [];
    return parts.map((part, at) => fieldReaderAt(part, `${one.at('content')}[${at}]`).string('text') ?? '').join('\n');
  });
  return texts.join('\n');
}

/** What a response repeats whose run no request for a response has started: the defaults. */
export function defaultEcho(model: string): ResponseEcho {
  defaults ??= decodeCreateRequest({}, { items: NO_ITEMS, defaultModel: '' }).echo;
  return Object.assign({}, defaults, { model });
}

let defaults: ResponseEcho | undefined;
const NO_ITEMS: ItemSources = { nextId: () => '', decrypt: () => undefined };
