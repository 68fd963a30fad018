import { isPlainObject, type Json, type JsonObject } from '../../common/index.js';

/** References that are followed in a row: they may form a cycle. */
const DEEPEST_REFERENCE = 20;
/** Parts of one schema that are looked at, each time anew. A schema that refers to itself often has no end otherwise. */
const MOST_STEPS = 5000;

/**
 * A schema of a client as values are made from it: with references resolved and with `allOf` and the first alternative
 * that is not `null` merged in. How much of it is looked at is limited.
 */
export class SchemaView {
  private steps = 0;

  constructor(private readonly root: JsonObject) {}

  /** Takes steps for more work. Returns false once too many are taken: then what is optional is left out. */
  step(count = 1): boolean {
    this.steps += count;
    return this.steps <= MOST_STEPS;
  }

  /** A part of the schema, resolved; empty if it is none, and once too many steps are taken. */
  resolve(schema: Json | undefined, depth = 0): JsonObject {
    if (!isObject(schema) || depth > DEEPEST_REFERENCE || !this.step()) return {};
    const { $ref, allOf, anyOf, oneOf, ...own } = schema;
    let resolved: JsonObject = own;
    if (typeof $ref === 'string') resolved = this.merge(this.resolve(this.lookUp($ref), depth + 1), resolved);
    for (const part of Array.isArray(allOf) ? allOf : [])
      resolved = this.merge(resolved, this.resolve(part, depth + 1));
    for (const alternatives of [anyOf, oneOf]) {
      if (!Array.isArray(alternatives)) continue;
      const views = alternatives.map((alternative) => this.resolve(alternative, depth + 1));
      const chosen = views.find((view) => typeOf(view) !== 'null') ?? views[0];
      if (chosen) resolved = this.merge(resolved, chosen);
    }
    return resolved;
  }

  /** The schema at a JSON pointer such as `#/$defs/item`. */
  private lookUp(reference: string): Json | undefined {
    if (!reference.startsWith('#')) return undefined;
    let current: Json | undefined = this.root;
    for (const step of reference.slice(1).split('/').slice(1)) {
      const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
      if (!isObject(current) || !Object.hasOwn(current, key)) return undefined;
      current = current[key];
    }
    return current;
  }

  /** Merges two schemas: properties and required names are united, other keywords of `over` win. */
  private merge(base: JsonObject, over: JsonObject): JsonObject {
    const merged: JsonObject = { ...base, ...over };
    const [properties, more] = [base['properties'], over['properties']];
    if (
      isObject(properties) &&
      isObject(more) &&
      this.step(Object.keys(properties).length + Object.keys(more).length)
    ) {
      merged['properties'] = { ...properties, ...more };
    }
    const [required, others] = [base['required'], over['required']];
    if (Array.isArray(required) && Array.isArray(others) && this.step(required.length + others.length)) {
      merged['required'] = [...new Set([...required, ...others])];
    }
    return merged;
  }
}

/** The type of a resolved schema: the first that it names except `null`, otherwise the one its keywords imply. */
export function typeOf(schema: JsonObject): string {
  const { type } = schema;
  if (typeof type === 'string') return type;
  if (Array.isArray(type))
    return type.filter((name) => typeof name === 'string').find((name) => name !== 'null') ?? 'null';
  if ('properties' in schema || 'additionalProperties' in schema) return 'object';
  if ('items' in schema || 'minItems' in schema) return 'array';
  if ('minimum' in schema || 'maximum' in schema || 'multipleOf' in schema) return 'number';
  return 'string';
}

/** True for a JSON object, not an array. */
export function isObject(value: unknown): value is JsonObject {
  return isPlainObject(value);
}
