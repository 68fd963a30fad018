import type { JsonObject } from '../../../common/index.js';
import { FieldReader, fieldError, fieldReaderAt } from '../../http/bodies/field-reader.js';
import { numberIn } from '../../openai/index.js';

/** The smallest `max_output_tokens` that the original API accepts. */
const MIN_OUTPUT_TOKENS = 16;
/** The most entries of `context_management`. */
const MAX_ENTRIES = 16;
const VERBOSITIES: readonly string[] = ['low', 'medium', 'high'];
/** Names that model servers accept for a JSON Schema response format. */
const FORMAT_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** `text`, as the response repeats it and as the model gets it. */
export interface TextSetting {
  /** The `text` field as the response repeats it, with its defaults. */
  readonly echo: { readonly format: JsonObject; readonly verbosity: string };
  /** Passed to the model; undefined for plain text. */
  readonly responseFormat: JsonObject | undefined;
}

/** The numbers of a request, absent ones undefined. */
export interface NumberSettings {
  /** From 0 to 2. */
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
  readonly presencePenalty: number | undefined;
  readonly frequencyPenalty: number | undefined;
  readonly maxOutputTokens: number | undefined;
  readonly maxToolCalls: number | undefined;
  readonly topLogprobs: number | undefined;
}

/** @throws AppError naming the first invalid number, or the first one out of its range */
export function decodeNumbers(fields: FieldReader): NumberSettings {
  const most = Number.MAX_SAFE_INTEGER;
  return {
    temperature: numberIn(fields, 'temperature', 0, 2),
    topP: numberIn(fields, 'top_p', 0, 1),
    presencePenalty: numberIn(fields, 'presence_penalty', -2, 2),
    frequencyPenalty: numberIn(fields, 'frequency_penalty', -2, 2),
    maxOutputTokens: fields.integer('max_output_tokens', { min: MIN_OUTPUT_TOKENS, max: most }),
    maxToolCalls: fields.integer('max_tool_calls', { min: 1, max: most }),
    topLogprobs: fields.integer('top_logprobs', { min: 0, max: 20 }),
  };
}

/** `text.format` and `text.verbosity`. @throws AppError naming the first invalid field */
export function decodeText(fields: FieldReader): TextSetting {
  const text = fieldReaderAt(fields.object('text') ?? {}, fields.at('text'));
  const verbosity = verbosityOf(text);
  const given = text.object('format');
  if (!given) return { echo: { format: { type: 'text' }, verbosity }, responseFormat: undefined };
  const format = fieldReaderAt(given, text.at('format'));
  const type = format.string('type') ?? 'text';
  if (type === 'text') return { echo: { format: { type }, verbosity }, responseFormat: undefined };
  if (type === 'json_object') return { echo: { format: { type }, verbosity }, responseFormat: { type } };
  if (type === 'json_schema') return schemaSetting(format, verbosity);
  throw fieldError(format.at('type'), 'must be one of text, json_object, json_schema', 'INVALID_PARAMETER');
}

/** Default `medium`. @throws AppError INVALID_PARAMETER for another value */
function verbosityOf(text: FieldReader): string {
  const value = text.string('verbosity') ?? 'medium';
  if (VERBOSITIES.includes(value)) return value;
  throw fieldError(text.at('verbosity'), `must be one of ${VERBOSITIES.join(', ')}`, 'INVALID_PARAMETER');
}

/** A `json_schema` format. @throws AppError if its name or schema is missing or invalid */
function schemaSetting(format: FieldReader, verbosity: string): TextSetting {
  const name = format.required('name');
  if (!FORMAT_NAME.test(name)) {
    throw fieldError(format.at('name'), 'must have 1 to 64 characters of A-Z, a-z, 0-9, _ and -', 'INVALID_PARAMETER');
  }
  const schema = format.object('schema') as JsonObject | undefined;
  if (!schema) throw fieldError(format.at('schema'), 'is required', 'MISSING_PARAMETER');
  const strict = format.boolean('strict');
  const description = format.string('description');
  const responseFormat = {
    type: 'json_schema',
    name,
    schema,
    ...(strict !== undefined && { strict }),
    ...(description !== undefined && { description }),
  };
  // Unlike that of a function, the `strict` of a format must not be null.
  const echo = { type: 'json_schema', name, description: description ?? null, schema, strict: strict ?? false };
  return { echo: { format: echo, verbosity }, responseFormat };
}

/** `reasoning.effort` and `reasoning.summary`. @throws AppError when one is not a string */
export function decodeReasoningSetting(fields: FieldReader): { effort: string | null; summary: string | null } {
  const reasoning = fieldReaderAt(fields.object('reasoning') ?? {}, fields.at('reasoning'));
  return {
    effort: reasoning.string('effort') ?? null,
    // `generate_summary` is the older name.
    summary: reasoning.string('summary') ?? reasoning.string('generate_summary') ?? null,
  };
}

/**
 * The lowest `compact_threshold` of `context_management`; undefined without an entry. An entry without a threshold means
 * that of the server.
 *
 * @throws AppError INVALID_PARAMETER for an entry of another type than `compaction`
 */
export function decodeCompactThreshold(fields: FieldReader): number | undefined {
  const entries = fields.list('context_management', MAX_ENTRIES) ?? [];
  const thresholds = entries.map((value, index) => {
    const entry = fieldReaderAt(value, `${fields.at('context_management')}[${index}]`);
    const type = entry.required('type');
    if (type !== 'compaction') throw fieldError(entry.at('type'), 'must be compaction', 'INVALID_PARAMETER');
    const most = Number.MAX_SAFE_INTEGER;
    return entry.integer('compact_threshold', { min: 1, max: most }) ?? most;
  });
  return thresholds.length === 0 ? undefined : Math.min(...thresholds);
}
