import type { ApiPropertyOptions } from '@nestjs/swagger';
import type { Json, JsonObject } from '../../../common/index.js';
import type { FieldReader } from '../../http/bodies/field-reader.js';
import { decodeMetadata } from '../../openai/request-fields.js';
import { fieldError } from '../../http/bodies/field-reader.js';
import type { NumberSettings, TextSetting } from './setting.decoder.js';
import type { DecodedChoice, DecodedTools } from './tool.decoder.js';

/** Characters of the id of a response or conversation, and of a name. */
export const ID_LENGTH = { min: 1, max: 256 };
const KEY_LENGTH = { min: 1, max: 64 };

/** The fields that exclude each other and are therefore checked together. */
export interface Modes {
  readonly stream: boolean;
  readonly background: boolean;
  readonly store: boolean;
  readonly previousResponseId: string | undefined;
  readonly conversationId: string | undefined;
}

/** What is known of a request when its options are read: what other fields depend on is read before. */
export interface OptionSources {
  readonly fields: FieldReader;
  readonly numbers: NumberSettings;
  readonly tools: DecodedTools;
  readonly choice: DecodedChoice;
  readonly text: TextSetting;
  readonly reasoning: { readonly effort: string | null; readonly summary: string | null };
  readonly modes: Modes;
  readonly parallel: boolean | undefined;
  readonly instructions: string | undefined;
  readonly user: string | undefined;
  readonly safetyIdentifier: string | undefined;
  /** The `model` of requests without one. */
  readonly defaultModel: string;
}

/** A field of a request that the response repeats. */
interface ResponseOption<T> {
  /** How it is documented in a request, if a request may have it. */
  readonly request?: ApiPropertyOptions;
  /** How it is documented in a response, which always has it. */
  readonly response: ApiPropertyOptions;
  /** What the response repeats: the value with its default. @throws AppError for a value that is not valid */
  readonly echo: (sources: OptionSources) => T;
}

/** Types the echo of an option. */
function option<T>(response: ApiPropertyOptions, echo: ResponseOption<T>['echo'], request?: ApiPropertyOptions) {
  return { response, echo, ...(request && { request }) } satisfies ResponseOption<T>;
}

const flag: ApiPropertyOptions = { type: Boolean };
const number: ApiPropertyOptions = { type: Number };
const string: ApiPropertyOptions = { type: String };
const integer: ApiPropertyOptions = { type: 'integer', minimum: 0 };
const nullableString: ApiPropertyOptions = { type: String, nullable: true };
const nullableInteger: ApiPropertyOptions = { type: 'integer', nullable: true };
const object: ApiPropertyOptions = { type: 'object', additionalProperties: true };
const objects: ApiPropertyOptions = { type: 'array', items: { type: 'object', additionalProperties: true } };
const truncation: ApiPropertyOptions = { enum: ['auto', 'disabled'], type: String };

/**
 * The fields of a request that its response repeats, in the order of the response (contract responses, section A3): the
 * documented bodies, the type of what is repeated and its defaults come from here. The defaults of the original API apply
 * only to what the response repeats.
 */
export const OPTIONS = {
  background: option(flag, ({ modes }): boolean => modes.background, { ...flag, default: false }),
  /** The system prompt of this request only; not kept for requests that continue from it. */
  instructions: option(nullableString, (of): string | null => of.instructions ?? null, nullableString),
  max_output_tokens: option(nullableInteger, ({ numbers }): number | null => numbers.maxOutputTokens ?? null, {
    ...integer,
    minimum: 16,
  }),
  max_tool_calls: option(nullableInteger, ({ numbers }): number | null => numbers.maxToolCalls ?? null, {
    ...integer,
    minimum: 1,
  }),
  /** The name that the request gave, even if another agent answers. */
  model: option(string, ({ fields, defaultModel }): string => fields.string('model', ID_LENGTH) ?? defaultModel, {
    ...string,
    description: 'An agent type. Any other name selects the default agent.',
  }),
  /** False: the model makes at most one call in an answer. */
  parallel_tool_calls: option(flag, ({ parallel }): boolean => parallel ?? true, { ...flag, default: true }),
  previous_response_id: option(
    nullableString,
    ({ modes }): string | null => modes.previousResponseId ?? null,
    nullableString,
  ),
  /** The conversation that the request named; for runs of other wires, their session. */
  conversation: option(
    { ...object, nullable: true },
    ({ modes: { conversationId: id } }): { readonly id: string } | null => (id === undefined ? null : { id }),
    { oneOf: [{ type: 'string', nullable: true }, { type: 'object' }] },
  ),
  prompt_cache_key: option(
    nullableString,
    ({ fields }): string | null => fields.string('prompt_cache_key', KEY_LENGTH) ?? null,
    string,
  ),
  reasoning: option(object, (of): OptionSources['reasoning'] => of.reasoning, object),
  safety_identifier: option(nullableString, (of): string | null => of.safetyIdentifier ?? null, string),
  service_tier: option(string, (): string => 'default'),
  /** False: the response cannot be retrieved (contract responses, section A8). */
  store: option(flag, ({ modes }): boolean => modes.store, { ...flag, default: true }),
  temperature: option(number, ({ numbers }): number => numbers.temperature ?? 1, { ...number, minimum: 0, maximum: 2 }),
  top_p: option(number, ({ numbers }): number => numbers.topP ?? 1, { ...number, minimum: 0, maximum: 1 }),
  presence_penalty: option(number, ({ numbers }): number => numbers.presencePenalty ?? 0, {
    ...number,
    minimum: -2,
    maximum: 2,
  }),
  frequency_penalty: option(number, ({ numbers }): number => numbers.frequencyPenalty ?? 0, {
    ...number,
    minimum: -2,
    maximum: 2,
  }),
  top_logprobs: option(integer, ({ numbers }): number => numbers.topLogprobs ?? 0, { ...integer, maximum: 20 }),
  text: option(object, ({ text }): TextSetting['echo'] => text.echo, object),
  /** A mode, or an object that names a tool. */
  tool_choice: option({ oneOf: [{ type: 'string' }, { type: 'object' }] }, ({ choice }): Json => choice.echo, {
    oneOf: [{ type: 'string' }, { type: 'object' }],
  }),
  /** Without credentials. Functions have `description`, `parameters` and `strict`, which can be null. */
  tools: option(objects, ({ tools }): readonly JsonObject[] => tools.echo, objects),
  truncation: option(truncation, ({ fields }): string => truncationOf(fields), truncation),
  /** The client's name for the user. */
  user: option(nullableString, ({ user }): string | null => user ?? null, string),
  metadata: option(object, ({ fields }): JsonObject => decodeMetadata(fields), {
    ...object,
    description: 'At most 16 pairs of short strings.',
  }),
};

type Options = typeof OPTIONS;

/** What a response repeats of its request, every key present (contract responses, section A3). */
export type ResponseEcho = { readonly [Name in keyof Options]: ReturnType<Options[Name]['echo']> };

/** @throws AppError for the first option that is not valid and was not read before */
export function echoOf(sources: OptionSources): ResponseEcho {
  const echo: Record<string, unknown> = {};
  for (const [name, { echo: of }] of ENTRIES) echo[name] = of(sources);
  return echo as ResponseEcho;
}

const ENTRIES = Object.entries<ResponseOption<unknown>>(OPTIONS);

/** Accepted and repeated in the response; the server always fits the conversation to the model. */
function truncationOf(fields: FieldReader): string {
  const value = fields.string('truncation') ?? 'disabled';
  if (value === 'auto' || value === 'disabled') return value;
  throw fieldError(fields.at('truncation'), 'must be auto or disabled', 'INVALID_PARAMETER');
}

/** The options as a request documents them; none of them is required. */
export function requestMembers(): Readonly<Record<string, ApiPropertyOptions>> {
  return Object.fromEntries(
    ENTRIES.flatMap(([name, { request }]) => (request ? [[`${name}?`, request] as const] : [])),
  );
}

/** The options as a response documents them. */
export function responseMembers(): Readonly<Record<string, ApiPropertyOptions>> {
  return Object.fromEntries(ENTRIES.map(([name, { response }]) => [name, response] as const));
}
