import type { ModelOptions, ResponseFormat } from '../../agent/index.js';
import { AppError, isPlainObject, type JsonObject } from '../../common/index.js';
import { FieldReader, fieldError, fieldReaderAt, kindOf } from '../http/bodies/field-reader.js';
import { decodeMetadata, numberIn, presentOptions, unsupported } from '../openai/index.js';
import { type DecodedMessage, decodeMessages } from './message.decoder.js';
import { type DecodedTools, decodeTools } from './tool.decoder.js';

const MAX_MESSAGES = 10_000;
const ID_LENGTH = { min: 1, max: 256 };
const MOST = { min: 1, max: Number.MAX_SAFE_INTEGER };
const EFFORTS: readonly string[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
const FORMAT_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** A decoded request for a completion. */
export interface CompletionRequest {
  /** Undefined: the default agent. */
  readonly model: string | undefined;
  readonly messages: readonly DecodedMessage[];
  readonly stream: boolean;
  readonly includeUsage: boolean;
  readonly tools: DecodedTools;
  readonly modelOptions: ModelOptions;
  /** Undefined unless the request says so. */
  readonly store: boolean | undefined;
  readonly metadata: JsonObject;
  /** `user`, otherwise `safety_identifier`. */
  readonly user: string | undefined;
}

/**
 * Decodes the body of `POST /chat/completions` (contract chat-completions, sections A2 and A10). Unknown fields are
 * ignored; fields that would change the meaning of the answer, and that the server does not have, are refused.
 *
 * @param maxBytes of one image, sound, video or file
 * @throws AppError MISSING_PARAMETER, PARAMETER_VALIDATION (wrong type), INVALID_PARAMETER (wrong value),
 *   ATTACHMENT_TOO_LARGE
 */
export function decodeCompletionRequest(body: unknown, maxBytes: number): CompletionRequest {
  if (!isPlainObject(body)) {
    throw new AppError('INVALID_JSON', `The request body must be a JSON object, not ${kindOf(body ?? null)}`);
  }
  const fields = new FieldReader(body, '');
  const messages = messagesOf(fields, maxBytes);
  const tools = decodeTools(fields);
  const modelOptions = modelOptionsOf(fields, tools);
  refuseUnsupported(fields);
  const stream = fields.boolean('stream') ?? false;
  const streamOptions = fieldReaderAt(fields.object('stream_options') ?? {}, 'stream_options');
  const model = fields.string('model', { min: 0, max: 256 });
  return {
    model: model === '' ? undefined : model,
    messages,
    stream,
    includeUsage: stream && (streamOptions.boolean('include_usage') ?? false),
    tools,
    modelOptions,
    store: fields.boolean('store'),
    metadata: decodeMetadata(fields),
    user: fields.string('user', ID_LENGTH) ?? fields.string('safety_identifier', ID_LENGTH),
  };
}

function messagesOf(fields: FieldReader, maxBytes: number): readonly DecodedMessage[] {
  const items = fields.list('messages', MAX_MESSAGES);
  if (items === undefined) throw fieldError('messages', 'is required', 'MISSING_PARAMETER');
  if (items.length === 0) throw fieldError('messages', 'must not be empty', 'INVALID_PARAMETER');
  return decodeMessages(items, maxBytes);
}

function modelOptionsOf(fields: FieldReader, { toolChoice }: DecodedTools): ModelOptions {
  const completionTokens = fields.integer('max_completion_tokens', MOST);
  const tokens = fields.integer('max_tokens', MOST);
  const parallelToolCalls = fields.boolean('parallel_tool_calls');
  return presentOptions({
    temperature: numberIn(fields, 'temperature', 0, 2),
    topP: numberIn(fields, 'top_p', 0, 1),
    frequencyPenalty: numberIn(fields, 'frequency_penalty', -2, 2),
    presencePenalty: numberIn(fields, 'presence_penalty', -2, 2),
    maxTokens: completionTokens ?? tokens,
    stop: stopOf(fields),
    seed: fields.integer('seed'),
    responseFormat: responseFormatOf(fields),
    toolChoice,
    parallelToolCalls,
    reasoningEffort: effortOf(fields),
  });
}

function stopOf(fields: FieldReader): readonly string[] | undefined {
  const value = fields.source['stop'];
  if (value === undefined || value === null) return undefined;
  const stops = typeof value === 'string' ? [value] : (fields.list('stop', 4) ?? []);
  for (const [index, stop] of stops.entries()) {
    const path = typeof value === 'string' ? 'stop' : `stop[${index}]`;
    if (typeof stop !== 'string') throw fieldError(path, `must be a string, not ${kindOf(stop)}`);
    if (stop === '') throw fieldError(path, 'must not be empty', 'INVALID_PARAMETER');
  }
  return stops.length === 0 ? undefined : (stops as readonly string[]);
}

function effortOf(fields: FieldReader): string | undefined {
  const effort = fields.string('reasoning_effort');
  if (effort === undefined || EFFORTS.includes(effort)) return effort;
  throw fieldError('reasoning_effort', `must be one of ${EFFORTS.join(', ')}`, 'INVALID_PARAMETER');
}

/** Undefined for text. */
function responseFormatOf(fields: FieldReader): ResponseFormat | undefined {
  const given = fields.object('response_format');
  if (!given) return undefined;
  const format = fieldReaderAt(given, 'response_format');
  const type = format.required('type');
  if (type === 'text') return undefined;
  if (type === 'json_object') return { type };
  if (type !== 'json_schema') {
    throw fieldError(format.at('type'), 'must be one of text, json_object, json_schema', 'INVALID_PARAMETER');
  }
  const inner = format.object('json_schema');
  if (!inner) throw fieldError(format.at('json_schema'), 'is required', 'MISSING_PARAMETER');
  return schemaFormat(fieldReaderAt(inner, format.at('json_schema')));
}

function schemaFormat(fields: FieldReader): ResponseFormat {
  const name = fields.required('name');
  if (!FORMAT_NAME.test(name)) {
    throw fieldError(fields.at('name'), 'must have 1 to 64 characters of A-Z, a-z, 0-9, _ and -', 'INVALID_PARAMETER');
  }
  const schema = fields.object('schema') as JsonObject | undefined;
  if (!schema) throw fieldError(fields.at('schema'), 'is required', 'MISSING_PARAMETER');
  const strict = fields.boolean('strict');
  const description = fields.string('description');
  return {
    type: 'json_schema',
    name,
    schema,
    ...(strict !== undefined && { strict }),
    ...(description !== undefined && { description }),
  };
}

/** An agent's answer is of many model calls, is one, and is text. */
function refuseUnsupported(fields: FieldReader): void {
  const n = fields.integer('n');
  if (n !== undefined && n !== 1) throw unsupported('n', 'must be 1: an agent gives one answer');
  if (fields.boolean('logprobs') === true) throw unsupported('logprobs', 'is not supported by agents');
  if ((fields.integer('top_logprobs') ?? 0) > 0) throw unsupported('top_logprobs', 'is not supported by agents');
  if (Object.keys(fields.object('logit_bias') ?? {}).length > 0) {
    throw unsupported('logit_bias', 'is not supported by agents');
  }
  const modalities = fields.list('modalities', 10) ?? [];
  if (modalities.some((one) => one !== 'text')) throw unsupported('modalities', 'must be ["text"]');
  if (fields.object('audio')) throw unsupported('audio', 'is not supported: answers are text');
  for (const name of ['functions', 'function_call'] as const) {
    const value = fields.source[name];
    if (value !== undefined && value !== null) throw unsupported(name, 'is not supported: use tools');
  }
}
