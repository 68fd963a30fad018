import { isPlainObject, type Json, type JsonObject } from '../../../common/index.js';
import type { ToolSchemaRules } from './tool-schema-rules.js';

/*
 * Forms of schemas for servers that know fewer keywords. Each function changes a schema that was made for this purpose;
 * its members have their forms already, unless it says otherwise.
 */

/**
 * A schema with the parts of its `allOf` in itself; members are not changed.
 *
 * @param target what a reference leads to
 */
export function mergedParts(
  schema: JsonObject,
  target: (reference: string) => JsonObject | boolean | undefined,
  depth = 0,
): JsonObject {
  const { allOf, ...own } = schema;
  if (!Array.isArray(allOf) || depth > 8) return own;
  return allOf.reduce<JsonObject>((whole, part) => {
    if (!isPlainObject(part)) return whole;
    const { $ref, ...beside } = part;
    const referred = typeof $ref === 'string' ? target($ref) : undefined;
    const parts = [isPlainObject(referred) ? referred : {}, beside];
    return parts.reduce((merged, one) => withPart(merged, mergedParts(one, target, depth + 1)), whole);
  }, own);
}

/** What a schema has already stays; properties and required names are added. */
function withPart(schema: JsonObject, part: JsonObject): JsonObject {
  const { properties, required } = schema;
  const merged: JsonObject = Object.assign({}, part, schema);
  if (isPlainObject(part['properties'])) merged['properties'] = Object.assign({}, part['properties'], properties);
  if (Array.isArray(part['required']))
    merged['required'] = [...new Set([...((required ?? []) as Json[]), ...part['required']])];
  return merged;
}

/** `oneOf` as `anyOf`, `const` as `enum`. */
export function branchesOf(schema: JsonObject): void {
  const { oneOf, anyOf, const: value } = schema;
  if (Array.isArray(oneOf)) schema['anyOf'] = [...(Array.isArray(anyOf) ? anyOf : []), ...oneOf];
  if (value !== undefined) schema['enum'] ??= [value];
  delete schema['oneOf'];
  delete schema['const'];
}

/** The type in each branch, and not next to them. */
export function fixedTypes(schema: JsonObject): void {
  const { type } = schema;
  const lists = ['anyOf', 'oneOf'].filter((key) => Array.isArray(schema[key]));
  if (lists.length === 0) return;
  delete schema['type'];
  for (const key of lists) {
    schema[key] = (schema[key] as JsonObject[]).map((branch) => {
      if ((branch['type'] !== undefined || branch['$ref'] !== undefined || branch['anyOf']) ?? branch['oneOf'])
        return branch;
      const own = type ?? typeOfValues(branch);
      if (own === undefined) return branch;
      const typed: JsonObject = Object.assign({ type: own }, branch);
      if ([own].flat().includes('array')) typed['items'] ??= {};
      return typed;
    });
  }
}

/** The type that a schema without one must have; undefined if it may have several. */
function typeOfValues(schema: JsonObject): Json | undefined {
  if (schema['properties'] !== undefined) return 'object';
  if (schema['items'] !== undefined) return 'array';
  const { const: value, enum: values = value === undefined ? [] : [value] } = schema;
  const types = new Set((values as Json[]).map(typeName));
  return types.size === 1 ? [...types][0] : undefined;
}

function typeName(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

/** One type, with `nullable`; several types as branches. */
export function nullableType(schema: JsonObject): void {
  const { type, enum: values } = schema;
  if (Array.isArray(values) && values.includes(null)) {
    schema['enum'] = values.filter((value) => value !== null);
    schema['nullable'] = true;
  }
  if (type === 'null') {
    schema['type'] = 'string';
    schema['nullable'] = true;
  }
  if (Array.isArray(type)) severalTypes(schema, type);
  nullBranch(schema);
}

function severalTypes(schema: JsonObject, types: readonly Json[]): void {
  const [first = 'string', ...more] = types.filter((one) => one !== 'null');
  if (types.includes('null')) schema['nullable'] = true;
  schema['type'] = first;
  if (more.length === 0) return;
  const { items, properties, required, minLength, maxLength, pattern, format, ...others } = schema;
  const ofType: Readonly<Record<string, JsonObject>> = {
    array: { items: items ?? {} },
    object: present({ properties, required }),
    string: present({ minLength, maxLength, pattern, format }),
  };
  const branches = [first, ...more].map((one) => Object.assign({ type: one }, ofType[one as string]));
  for (const key of Object.keys(schema)) Reflect.deleteProperty(schema, key);
  const { type: _type, ...rest } = others;
  Object.assign(schema, rest, { anyOf: [...((rest['anyOf'] ?? []) as Json[]), ...branches] });
}

/** A branch that only null fits. */
function nullBranch(schema: JsonObject): void {
  const { anyOf } = schema;
  if (!Array.isArray(anyOf)) return;
  const isNull = (branch: Json): boolean =>
    isPlainObject(branch) &&
    branch['nullable'] === true &&
    branch['type'] === 'string' &&
    Object.keys(branch).length === 2;
  const others = anyOf.filter((branch) => !isNull(branch));
  if (others.length === anyOf.length) return;
  schema['nullable'] = true;
  const [only] = others;
  delete schema['anyOf'];
  if (others.length > 1) schema['anyOf'] = others;
  else if (isPlainObject(only)) Object.assign(schema, only, schema);
}

/** Values that are no texts are moved into the description. */
export function textValues(schema: JsonObject): void {
  const { enum: values } = schema;
  if (!Array.isArray(values)) return;
  if (values.length > 0 && values.every((value) => typeof value === 'string')) {
    schema['type'] = 'string';
    return;
  }
  delete schema['enum'];
  const type = typeOfValues({ enum: values });
  if (type !== undefined) schema['type'] ??= type;
  tell(schema, `One of: ${values.map((value) => JSON.stringify(value)).join(', ')}.`);
}

/** A type where there is none: text can say anything. */
export function typedPlace(schema: JsonObject): void {
  if (schema['anyOf'] === undefined) schema['type'] ??= typeOfValues(schema) ?? 'string';
}

/** Keywords and formats that the server does not take become a part of the description. */
export function describeKeywords(schema: JsonObject, { described = [], formats }: ToolSchemaRules): void {
  const { format } = schema;
  const isForeign = formats !== undefined && typeof format === 'string' && !formats.includes(format);
  const told = [...described, ...(isForeign && !described.includes('format') ? ['format'] : [])]
    .filter((key) => schema[key] !== undefined)
    .map((key) => [key, schema[key]] as const);
  if (told.length === 0) return;
  for (const [key] of told) Reflect.deleteProperty(schema, key);
  tell(
    schema,
    `(${told.map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`).join(', ')})`,
  );
}

function tell(schema: JsonObject, sentence: string): void {
  const { description } = schema;
  schema['description'] =
    typeof description === 'string' && description !== '' ? `${description} ${sentence}` : sentence;
}

function present(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(members).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])),
  );
}
