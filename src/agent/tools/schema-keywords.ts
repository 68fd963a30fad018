import { isPlainObject, type Json } from '../../common/index.js';

/** What the value of a JSON Schema keyword is. */
export type KeywordKind = 'schema' | 'schemas' | 'schemaMap' | 'value' | 'checked' | 'dropped';

/** The types that JSON Schema knows. */
export const SCHEMA_TYPES: readonly string[] = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

/** Names of other languages for the types, in lower case. */
const OTHER_TYPES: Readonly<Record<string, string>> = {
  str: 'string',
  text: 'string',
  int: 'integer',
  long: 'integer',
  float: 'number',
  double: 'number',
  decimal: 'number',
  bool: 'boolean',
  list: 'array',
  tuple: 'array',
  dict: 'object',
  map: 'object',
  none: 'null',
};

/** The type that a name means; undefined if it means none, as `any` does. */
export function schemaTypeOf(name: Json): string | undefined {
  if (typeof name !== 'string') return undefined;
  const word = name.toLowerCase();
  return SCHEMA_TYPES.includes(word) ? word : Object.hasOwn(OTHER_TYPES, word) ? OTHER_TYPES[word] : undefined;
}

type Check = (value: Json) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => typeof value === 'number' && Number.isFinite(value);
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isFlag: Check = (value) => typeof value === 'boolean';
const isTexts: Check = (value) => Array.isArray(value) && value.every(isText);

/** The keywords whose values are neither schemas nor anything at all, with the check of a value. */
const CHECKS: Readonly<Record<string, Check>> = {
  title: isText,
  description: isText,
  format: isText,
  pattern: isText,
  $ref: isText,
  contentMediaType: isText,
  contentEncoding: isText,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  multipleOf: (value) => isNumber(value) && (value as number) > 0,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minProperties: isCount,
  maxProperties: isCount,
  minContains: isCount,
  maxContains: isCount,
  uniqueItems: isFlag,
  nullable: isFlag,
  deprecated: isFlag,
  readOnly: isFlag,
  writeOnly: isFlag,
  required: isTexts,
  enum: (value) => Array.isArray(value) && value.length > 0,
  examples: Array.isArray,
  dependentRequired: (value) => isPlainObject(value) && Object.values(value).every((one) => isTexts(one)),
};

const SCHEMA = ['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems', 'additionalItems', 'items'];
const MORE_SCHEMA = ['contains', 'not', 'if', 'then', 'else', 'propertyNames', 'contentSchema'];

/** The kind of each keyword that is not checked by a function of its own. What is missing may have any value. */
const KINDS: ReadonlyMap<string, KeywordKind> = new Map([
  ...[...SCHEMA, ...MORE_SCHEMA].map((key) => [key, 'schema'] as const),
  ...['allOf', 'anyOf', 'oneOf', 'prefixItems'].map((key) => [key, 'schemas'] as const),
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'].map(
    (key) => [key, 'schemaMap'] as const,
  ),
  // They name the schema or its dialect. References to them are rewritten before.
  ...['$schema', '$id', '$anchor', '$dynamicAnchor', '$recursiveAnchor', '$vocabulary', '$comment'].map(
    (key) => [key, 'dropped'] as const,
  ),
]);

/** The kind of a keyword. An `id` that is text names a schema, as `$id` does. */
export function keywordKind(key: string, value: Json): KeywordKind {
  if (key === 'id' && typeof value === 'string') return 'dropped';
  return KINDS.get(key) ?? (Object.hasOwn(CHECKS, key) ? 'checked' : 'value');
}

/** True if a keyword of the kind `checked` may have this value. */
export function isKeywordValue(key: string, value: Json): boolean {
  return CHECKS[key]?.(value) === true;
}
