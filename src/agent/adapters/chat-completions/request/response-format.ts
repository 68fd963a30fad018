import { isPlainObject, type Json, type JsonObject } from '../../../../common/index.js';
import type { ModelMessage, ResponseFormat } from '../../../ports/model-client.js';
import type { WireRules } from '../profiles/wire-rules.js';
import type { Body } from './body.js';

/** How an answer in JSON is requested: by the member `response_format`, in words, or both. */
export interface WrittenFormat {
  readonly member: Body | undefined;
  /** A sentence for the system message; undefined if none is needed. */
  readonly words: string | undefined;
}

/** What servers with a subset of JSON Schema refuse; what it says is checked by the caller anyway. */
const LIMITS: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$comment',
  'default',
  'examples',
  'title',
  'pattern',
  'format',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
  'contains',
  'minContains',
  'maxContains',
  'minProperties',
  'maxProperties',
  'propertyNames',
  'patternProperties',
  'unevaluatedProperties',
]);

const ANY_OBJECT = { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'object' } } };
const AS_JSON = 'Answer with one JSON object and with nothing else.';

/** The format of an answer in the words of a server (contract model-servers, section 1.1). */
export function responseFormat(
  format: ResponseFormat | undefined,
  messages: readonly ModelMessage[],
  rules: WireRules,
): WrittenFormat {
  // Text is the default of every server, so it is not sent.
  if (format === undefined || format.type === 'text') return { member: undefined, words: undefined };
  if (format.type === 'json_object') return anyObject(mentionsJson(messages) ? undefined : AS_JSON, rules);
  if (rules.jsonSchema === 'object' || rules.jsonSchema === 'text') {
    const words = `${AS_JSON} It must be valid against this JSON Schema:\n${JSON.stringify(format.schema)}`;
    return rules.jsonSchema === 'text' ? { member: undefined, words } : anyObject(words, rules);
  }
  const { name, description } = format;
  const isWhole = rules.jsonSchema === 'full';
  const schema = isWhole ? withoutDialect(format.schema) : (withoutLimits(format.schema) as JsonObject);
  const strict = isWhole ? format.strict === true : undefined;
  return { member: { type: 'json_schema', json_schema: { schema, strict, name, description } }, words: undefined };
}

function anyObject(words: string | undefined, { jsonObject }: WireRules): WrittenFormat {
  if (jsonObject === 'text') return { member: undefined, words: words ?? AS_JSON };
  return { member: jsonObject === 'schema' ? ANY_OBJECT : { type: 'json_object' }, words };
}

/** Several servers refuse `json_object` where no message has the word. */
function mentionsJson(messages: readonly ModelMessage[]): boolean {
  return messages.some(({ content }) =>
    typeof content === 'string'
      ? /json/i.test(content)
      : content.some((part) => part.type === 'text' && /json/i.test(part.text)),
  );
}

function withoutDialect(schema: JsonObject): JsonObject {
  if (!('$schema' in schema)) return schema;
  const { $schema: _, ...rest } = schema;
  return rest;
}

/** A schema without keywords that only limit values. Members that are named like keywords stay. */
function withoutLimits(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withoutLimits);
  if (!isPlainObject(schema)) return schema;
  const members = Object.entries(schema).flatMap(([key, value]): [string, Json][] => {
    if (LIMITS.has(key)) return [];
    const isByName = key === 'properties' || key === '$defs' || key === 'definitions';
    if (isByName && isPlainObject(value)) {
      const named = Object.entries(value).map(([name, one]) => [name, withoutLimits(one)] as const);
      return [[key, Object.fromEntries(named)]];
    }
    return [[key, key === 'enum' || key === 'const' || key === 'required' ? value : withoutLimits(value)]];
  });
  return Object.fromEntries(members);
}
