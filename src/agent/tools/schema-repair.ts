import { canonicalJson, isPlainObject, type Json, type JsonObject } from '../../common/index.js';
import { UNTRUSTED_SCHEMA_DEPTH, UNTRUSTED_SCHEMA_LIMIT } from './schema-guard.js';
import { isKeywordValue, keywordKind, schemaTypeOf } from './schema-keywords.js';
import { jsPattern } from './schema-pattern.js';
import { schemaAt, SchemaNames } from './schema-references.js';

/** A schema of arguments that is valid by draft 2020-12, as near to the given one as possible. */
export interface RepairedSchema {
  readonly schema: JsonObject;
  /** What is not as it was given, for a sentence; empty if the given schema was valid. */
  readonly repairs: readonly string[];
}

const ANNOTATIONS = ['title', 'description', 'examples', 'default'];

/**
 * Makes a valid schema of what tools of many languages and drafts declare (contract model-servers, section 3): older
 * forms are converted, what has no meaning is dropped, references to nothing allow anything. Names of schemas (`$id`,
 * `$anchor`) are replaced by pointers, so that no two can be equal. What is valid stays as it is.
 *
 * @param limit the longest JSON text of the schema, in characters
 */
export function repairedSchema(given: unknown, limit = UNTRUSTED_SCHEMA_LIMIT): RepairedSchema {
  const repair = new SchemaRepair(isPlainObject(given) ? (given as JsonObject) : undefined);
  const schema = repair.root();
  if (JSON.stringify(schema).length <= limit) return { schema, repairs: [...repair.notes] };
  const short = withoutAnnotations(schema) as JsonObject;
  if (JSON.stringify(short).length <= limit) {
    return { schema: short, repairs: [...repair.notes, 'its descriptions, because it is too large'] };
  }
  return {
    schema: { type: 'object', properties: {} },
    repairs: [...repair.notes, 'all of it, because it is too large'],
  };
}

class SchemaRepair {
  readonly notes = new Set<string>();
  private readonly names: SchemaNames;
  private readonly referring: JsonObject[] = [];

  constructor(private readonly given: JsonObject | undefined) {
    this.names = new SchemaNames(given ?? {}, UNTRUSTED_SCHEMA_DEPTH);
    if (!given) this.notes.add('a schema that is no object');
  }

  root(): JsonObject {
    const root = this.object(this.given ?? {}, 1);
    const { type } = root;
    const isObject = type === undefined || [type].flat().includes('object');
    if (!isObject) this.notes.add(`the type ${JSON.stringify(type)} of arguments`);
    root['type'] = 'object';
    for (const schema of this.referring) this.keepReference(root, schema);
    return root;
  }

  private schema(value: Json, depth: number): JsonObject | boolean {
    if (typeof value === 'boolean') return value;
    if (isPlainObject(value)) return this.object(value, depth);
    const type = schemaTypeOf(value);
    this.notes.add('a schema that is no object');
    return type === undefined ? {} : { type };
  }

  private object(given: JsonObject, depth: number): JsonObject {
    if (depth > UNTRUSTED_SCHEMA_DEPTH) {
      this.notes.add(`what is nested deeper than ${UNTRUSTED_SCHEMA_DEPTH} levels`);
      return {};
    }
    const schema: JsonObject = {};
    for (const [key, value] of Object.entries(inOneDialect(given))) this.keyword(schema, key, value, depth);
    this.limits(given, schema);
    this.requiredProperties(given, schema);
    describePattern(given, schema);
    withNull(schema);
    if (schema['$ref'] !== undefined) this.referring.push(schema);
    return schema;
  }

  private keyword(schema: JsonObject, key: string, value: Json, depth: number): void {
    switch (keywordKind(key, value)) {
      case 'dropped':
        return;
      case 'schema':
        schema[key] = this.schema(value, depth + 1);
        return;
      case 'schemas':
        if (Array.isArray(value) && value.length > 0) schema[key] = value.map((one) => this.schema(one, depth + 1));
        else this.drop(key);
        return;
      case 'schemaMap':
        schema[key] = this.map(key, value, depth + 1);
        return;
      case 'checked':
        this.checked(schema, key, value);
        return;
      case 'value':
        if (key === 'type') this.type(schema, value);
        else if (key === '$dynamicRef' || key === '$recursiveRef') schema['$ref'] ??= this.reference(value);
        else schema[key] = value;
    }
  }

  /** PHP writes an empty map as a list. */
  private map(key: string, value: Json, depth: number): JsonObject {
    const map: JsonObject = {};
    if (!isPlainObject(value)) this.drop(key);
    for (const [name, child] of isPlainObject(value) ? Object.entries(value) : []) {
      const own = key === 'patternProperties' ? this.pattern(name) : name;
      if (own !== undefined) define(map, own, this.schema(child, depth));
    }
    return map;
  }

  private checked(schema: JsonObject, key: string, value: Json): void {
    if (key === '$ref') schema[key] = this.reference(value);
    // Read from the given schema below.
    else if (typeof value === 'boolean' && (key === 'required' || key.startsWith('exclusive'))) return;
    else if (!isKeywordValue(key, value)) this.drop(key);
    else if (key === 'pattern') this.patternOf(schema, value as string);
    else schema[key] = key === 'enum' || key === 'required' ? this.unique(key, value as Json[]) : value;
  }

  private patternOf(schema: JsonObject, source: string): void {
    const pattern = this.pattern(source);
    if (pattern !== undefined) schema['pattern'] = pattern;
  }

  private pattern(source: string): string | undefined {
    const pattern = jsPattern(source);
    if (pattern !== source) this.notes.add(`the pattern ${JSON.stringify(source.slice(0, 80))}`);
    return pattern;
  }

  private unique(key: string, values: readonly Json[]): Json[] {
    const byText = new Map(values.map((value) => [canonicalJson(value), value]));
    if (byText.size < values.length) this.notes.add(`equal values of "${key}"`);
    return [...byText.values()];
  }

  private type(schema: JsonObject, value: Json): void {
    const names = Array.isArray(value) ? value : [value];
    const types = names.map(schemaTypeOf);
    if (types.some((type, index) => type !== names[index]))
      this.notes.add(`the type ${JSON.stringify(value).slice(0, 80)}`);
    const known = [...new Set(types)].filter((type) => type !== undefined);
    // One unknown type of several may be `any`.
    if (known.length === 0 || types.includes(undefined)) return;
    schema['type'] = known.length === 1 ? (known[0] ?? '') : known;
  }

  /** In draft 4 the exclusive limits are flags of the others. */
  private limits(given: JsonObject, schema: JsonObject): void {
    for (const [flag, limit] of [
      ['exclusiveMinimum', 'minimum'],
      ['exclusiveMaximum', 'maximum'],
    ] as const) {
      if (typeof given[flag] !== 'boolean') continue;
      this.notes.add(`"${flag}": ${given[flag]}`);
      const value = schema[limit];
      if (!given[flag] || value === undefined) continue;
      delete schema[limit];
      schema[flag] = value;
    }
  }

  /** In draft 3 each property says whether it is required. */
  private requiredProperties({ properties }: JsonObject, schema: JsonObject): void {
    if (!isPlainObject(properties)) return;
    const flagged = Object.entries(properties).filter(
      ([, child]) => isPlainObject(child) && typeof child['required'] === 'boolean',
    );
    if (flagged.length === 0) return;
    this.notes.add('"required" as a flag of properties');
    const names = flagged.filter(([, child]) => (child as JsonObject)['required'] === true).map(([name]) => name);
    const all = new Set([...((schema['required'] ?? []) as string[]), ...names]);
    if (all.size > 0) schema['required'] = [...all];
  }

  private reference(value: Json): string {
    const reference = typeof value === 'string' ? value : '';
    return this.names.pointerOf(reference) ?? reference;
  }

  private keepReference(root: JsonObject, schema: JsonObject): void {
    const reference = schema['$ref'] as string;
    if (schemaAt(root, reference) !== undefined) return;
    this.notes.add(`the reference ${JSON.stringify(reference.slice(0, 80))}, which leads to nothing`);
    delete schema['$ref'];
  }

  private drop(key: string): void {
    this.notes.add(`the value of "${key}"`);
  }
}

/** A list of items by place is `prefixItems` in draft 2020-12, and the others are `items`. */
function inOneDialect(given: JsonObject): JsonObject {
  if (!Array.isArray(given['items'])) return given;
  const { items, additionalItems, ...others } = given;
  return { ...others, prefixItems: items, ...(additionalItems !== undefined && { items: additionalItems }) };
}

/** `nullable` of OpenAPI, as a type. */
function withNull(schema: JsonObject): void {
  const { nullable, type } = schema;
  delete schema['nullable'];
  if (nullable !== true || type === undefined) return;
  schema['type'] = [...new Set([type, 'null'].flat())];
  if (Array.isArray(schema['enum']) && !schema['enum'].includes(null)) schema['enum'] = [...schema['enum'], null];
}

function withoutAnnotations(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutAnnotations);
  if (!isPlainObject(value)) return value;
  const copy: JsonObject = {};
  for (const [key, child] of Object.entries(value)) {
    // A property may have the name of an annotation; its value is then a schema.
    if (ANNOTATIONS.includes(key) && !isPlainObject(child)) continue;
    define(copy, key, withoutAnnotations(child));
  }
  return copy;
}

function define(object: JsonObject, key: string, value: Json): void {
  Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
}

/** A pattern that could not be kept is still told. */
function describePattern({ pattern }: JsonObject, schema: JsonObject): void {
  if (typeof pattern !== 'string' || schema['pattern'] !== undefined) return;
  const { description } = schema;
  schema['description'] = `${typeof description === 'string' ? `${description} ` : ''}Pattern: ${pattern}`;
}
