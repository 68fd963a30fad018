import { isPlainObject, type Json, type JsonObject } from '../../common/index.js';

const DEEPEST_REFERENCE = 20;

/** A schema with its references followed and its `allOf` and first suitable alternative folded in. */
export function resolveSchema(schema: Json | undefined, root: JsonObject, depth = 0): JsonObject {
  if (!isObject(schema) || depth > DEEPEST_REFERENCE) return {};
  const { $ref, allOf, anyOf, oneOf, ...own } = schema;
  let resolved: JsonObject = own;
  if (typeof $ref === 'string') resolved = merge(resolveSchema(lookUp($ref, root), root, depth + 1), resolved);
  for (const part of Array.isArray(allOf) ? allOf : [])
    resolved = merge(resolved, resolveSchema(part, root, depth + 1));
  for (const alternatives of [anyOf, oneOf]) {
    if (!Array.isArray(alternatives)) continue;
    const views = alternatives.map((alternative) => resolveSchema(alternative, root, depth + 1));
    const chosen = views.find((view) => typeOf(view) !== 'null') ?? views[0];
    if (chosen) resolved = merge(resolved, chosen);
  }
  return resolved;
}

/** The type to make for a resolved schema: the one it names first that is not null, else what its keywords mean. */
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

function lookUp(reference: string, root: JsonObject): Json | undefined {
  if (!reference.startsWith('#')) return undefined;
  let current: Json | undefined = root;
  for (const step of reference.slice(1).split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isObject(current) || !Object.hasOwn(current, key)) return undefined;
    current = current[key];
  }
  return current;
}

function merge(base: JsonObject, over: JsonObject): JsonObject {
  const merged: JsonObject = { ...base, ...over };
  if (isObject(base['properties']) && isObject(over['properties'])) {
    merged['properties'] = { ...base['properties'], ...over['properties'] };
  }
  if (Array.isArray(base['required']) && Array.isArray(over['required'])) {
    merged['required'] = [...new Set([...base['required'], ...over['required']])];
  }
  return merged;
}
