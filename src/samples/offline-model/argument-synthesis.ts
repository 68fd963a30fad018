import { isPlainObject, type Json, type JsonObject } from '../../common/index.js';
import { type Evidence, stringFor } from './evidence.js';
import { splitIdentifiers } from './text-parsing.js';

/** Optional properties below this depth are left out, so that recursive schemas terminate. */
const DEEPEST_OPTIONAL = 4;
/** Values below this depth are null: a schema may require its own recursion. */
const DEEPEST = 16;
/** Items of a made array. Clients send schemas, so a large `minItems` must not produce a large value. */
const MOST_ITEMS = 1_000;

/** A value to make: its name, its schema and its position in the arguments. */
interface Slot {
  /** The name of the property; for an item, that of its array. */
  readonly key: string;
  /** The schema with its references resolved. */
  readonly schema: JsonObject;
  /** Whether a value must be made even if the text has none. */
  readonly required: boolean;
  /** How deep the value is; 0 for the arguments themselves. */
  readonly depth: number;
  /** The whole schema, against which references are resolved. */
  readonly root: JsonObject;
}
/** A made value, and whether it comes from the text; undefined if an optional value is left out. */
type Made = { readonly value: Json; readonly found: boolean } | undefined;

/**
 * Makes the arguments of a tool call from its JSON Schema and the user's text. Required properties always
 * have a value of the right shape; optional ones only if the text contains a value for them.
 */
export function synthesizeArguments(parameters: JsonObject, evidence: Evidence): JsonObject {
  const schema = resolveSchema(parameters, parameters);
  return makeObject({ key: '', schema, required: true, depth: 0, root: parameters }, evidence).value;
}

/** Makes a value by the keyword that restricts it most: `const`, then `enum`, then the type. */
function make(slot: Slot, evidence: Evidence): Made {
  const { schema, required } = slot;
  if (slot.depth > DEEPEST) return required ? { value: null, found: false } : undefined;
  if ('const' in schema) return required ? { value: schema['const'] ?? null, found: false } : undefined;
  if (Array.isArray(schema['enum'])) return makeChoice(schema['enum'], slot, evidence);
  switch (typeOf(schema)) {
    case 'object':
      return makeObject(slot, evidence);
    case 'array':
      return makeArray(slot, evidence);
    case 'number':
    case 'integer':
      return makeNumber(slot, evidence);
    case 'boolean':
      return makeBoolean(slot, evidence);
    case 'null':
      return required ? { value: null, found: false } : undefined;
    default:
      return stringFor(slot, evidence);
  }
}

/** The choice of an `enum` that the text names, otherwise its default or first one. */
function makeChoice(choices: readonly Json[], slot: Slot, evidence: Evidence): Made {
  const named = choices.find((choice) => occurs(choice, evidence.text));
  if (named !== undefined) return { value: named, found: true };
  const colour = choices.find((choice) => choice === evidence.colour);
  if (colour !== undefined) return { value: colour, found: true };
  if (!slot.required) return undefined;
  return { value: slot.schema['default'] ?? choices[0] ?? null, found: false };
}

/** Properties in the order of the schema, because quoted texts and numbers are used in order. */
function makeObject(slot: Slot, evidence: Evidence): { value: JsonObject; found: boolean } {
  const { schema, root, depth } = slot;
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = new Set(Array.isArray(schema['required']) ? schema['required'].map(String) : []);
  const value: JsonObject = {};
  let found = false;
  for (const key of new Set([...Object.keys(properties), ...required])) {
    // Validators read the prototype under this name, so no value can be valid.
    if (key === '__proto__') continue;
    const isRequired = required.has(key);
    if (!isRequired && depth >= DEEPEST_OPTIONAL) continue;
    const child = Object.hasOwn(properties, key) ? properties[key] : undefined;
    const made = make(
      { key, schema: resolveSchema(child, root), required: isRequired, depth: depth + 1, root },
      evidence,
    );
    if (!made || (!isRequired && !made.found)) continue;
    value[key] = made.value;
    found ||= made.found;
  }
  return { value, found };
}

/** The items that the text names, filled up to `minItems`. Gives up when no more distinct ones can be made. */
function makeArray(slot: Slot, evidence: Evidence): Made {
  const { schema, root, depth, key } = slot;
  const least = Math.min(typeof schema['minItems'] === 'number' ? schema['minItems'] : 0, MOST_ITEMS);
  const most = typeof schema['maxItems'] === 'number' ? schema['maxItems'] : MOST_ITEMS;
  const item: Slot = { key, schema: resolveSchema(schema['items'], root), required: true, depth: depth + 1, root };
  const choices = item.schema['enum'];
  const values: Json[] = Array.isArray(choices)
    ? choices.filter((choice) => occurs(choice, evidence.text))
    : foundItems(item, evidence);
  const found = values.length > 0;
  if (!found && !slot.required) return undefined;
  const unique = schema['uniqueItems'] === true;
  for (let n = 0; values.length < least && n < MOST_ITEMS * 2; n += 1) {
    const extra = Array.isArray(choices)
      ? choices[n % choices.length]
      : distinct(make(item, evidence)?.value ?? null, unique ? n : 0, item);
    if (!unique || !values.some((value) => JSON.stringify(value) === JSON.stringify(extra))) values.push(extra ?? null);
  }
  return { value: values.slice(0, most), found };
}

/** The numbers and quoted texts of the user that fit the items. */
function foundItems(item: Slot, evidence: Evidence): Json[] {
  const type = 'const' in item.schema ? 'const' : typeOf(item.schema);
  const values: Json[] = [];
  if (type === 'number' || type === 'integer') {
    for (let n = evidence.takeNumber(); n !== undefined; n = evidence.takeNumber()) {
      values.push(fitNumber(n, item.schema, type === 'integer'));
    }
  } else if (type === 'string') {
    for (
      let made = stringFor(item, evidence);
      made?.found && values.length < MOST_ITEMS;
      made = stringFor(item, evidence)
    ) {
      if (values.includes(made.value)) break;
      values.push(made.value);
    }
  } else if (type === 'object') {
    const made = makeObject(item, evidence);
    if (made.found) values.push(made.value);
  }
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

/** A variant of a value that differs from its copies, for arrays with `uniqueItems`. */
function distinct(value: Json, n: number, item: Slot): Json {
  if (n === 0) return value;
  if (typeof value === 'number') return fitNumber(value + n, item.schema, typeOf(item.schema) === 'integer');
  if (typeof value === 'boolean') return n % 2 === 1 ? !value : value;
  if (typeof value !== 'string') return value;
  const most = item.schema['maxLength'];
  const suffix = String(n);
  return typeof most === 'number'
    ? `${value.slice(0, Math.max(0, most - suffix.length))}${suffix}`.slice(0, most)
    : `${value} ${suffix}`;
}

/** A number that the text gives by name, otherwise its next unused one. */
function makeNumber({ key, schema, required }: Slot, evidence: Evidence): Made {
  const isInteger = typeOf(schema) === 'integer';
  const words = splitIdentifiers(key).toLowerCase();
  const isDuration = /\b(?:duration|minutes)\b/.test(words);
  const named = (isDuration ? evidence.durationMinutes : undefined) ?? numberOf(evidence.keyed(words.split(' ')));
  // Next to a date, a bare number is part of the date and not a duration.
  const number = named ?? (isDuration && evidence.moment ? undefined : evidence.takeNumber());
  if (number !== undefined) return { value: fitNumber(number, schema, isInteger), found: true };
  if (!required) return undefined;
  const fallback = typeof schema['default'] === 'number' ? schema['default'] : 0;
  return { value: fitNumber(fallback, schema, isInteger), found: false };
}

/** True or false, from words such as "on", "off", "enable" or "without". */
function makeBoolean({ key, schema, required }: Slot, evidence: Evidence): Made {
  const { text } = evidence;
  const name = splitIdentifiers(key).toLowerCase();
  const mentioned =
    new RegExp(`(?<![\\p{L}\\d])${name.replace(/[^\p{L}\d ]/gu, '')}`, 'iu').test(text) && name.trim() !== '';
  const negative = /\b(?:off|false|disabled?|disabling|no|not|don't|without|deactivate)\b|关|不要|禁用/i.test(text);
  const positive = /\b(?:on|true|enabled?|activate|yes)\b|打开|开启|启用/i.test(text);
  if (mentioned || (required && (negative || positive))) return { value: !negative, found: true };
  return required ? { value: schema['default'] === true, found: false } : undefined;
}

/** Whether the text contains a choice as a word, in any letter case. */
function occurs(choice: Json, text: string): boolean {
  if (typeof choice === 'number') return new RegExp(`(?<![\\d.])${choice}(?![\\d.]*\\d)`).test(text);
  if (typeof choice !== 'string' || choice.trim() === '') return false;
  const escaped = choice.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/[_\s-]+/g, '[_\\s-]+');
  const edge = /^\p{Script=Han}/u.test(choice) ? ['', ''] : ['(?<![\\p{L}\\d])', '(?![\\p{L}\\d])'];
  return new RegExp(`${edge[0]}${escaped}${edge[1]}`, 'iu').test(text);
}

function numberOf(text: string | undefined): number | undefined {
  const value = text === undefined ? Number.NaN : Number.parseFloat(text);
  return Number.isFinite(value) ? value : undefined;
}

/** The number nearest to `value` that the bounds, step and type of a schema allow. */
function fitNumber(value: number, schema: JsonObject, isInteger: boolean): number {
  const given = numberAt(schema, 'multipleOf');
  const step = given !== undefined && given > 0 ? given : isInteger ? 1 : undefined;
  const low = lowerBound(schema, step);
  const high = upperBound(schema, step);
  let fitted = step === undefined ? value : clean(Math.round(value / step) * step);
  if (high !== undefined && fitted > high) fitted = step === undefined ? high : clean(Math.floor(high / step) * step);
  if (low !== undefined && fitted < low) fitted = step === undefined ? low : clean(Math.ceil(low / step) * step);
  return Object.is(fitted, -0) ? 0 : fitted;
}

/** The smallest value that `minimum` and `exclusiveMinimum` allow; the latter is a boolean in draft 4. */
function lowerBound(schema: JsonObject, step: number | undefined): number | undefined {
  const minimum = numberAt(schema, 'minimum');
  const exclusive = numberAt(schema, 'exclusiveMinimum') ?? (schema['exclusiveMinimum'] === true ? minimum : undefined);
  if (exclusive === undefined) return minimum;
  const ceiling = numberAt(schema, 'maximum') ?? numberAt(schema, 'exclusiveMaximum');
  const inside = step === undefined ? between(exclusive, ceiling, 1) : (Math.floor(exclusive / step) + 1) * step;
  return Math.max(inside, minimum ?? inside);
}

/** The largest value that `maximum` and `exclusiveMaximum` allow; the latter is a boolean in draft 4. */
function upperBound(schema: JsonObject, step: number | undefined): number | undefined {
  const maximum = numberAt(schema, 'maximum');
  const exclusive = numberAt(schema, 'exclusiveMaximum') ?? (schema['exclusiveMaximum'] === true ? maximum : undefined);
  if (exclusive === undefined) return maximum;
  const floor = numberAt(schema, 'minimum') ?? numberAt(schema, 'exclusiveMinimum');
  const inside = step === undefined ? between(exclusive, floor, -1) : (Math.ceil(exclusive / step) - 1) * step;
  return Math.min(inside, maximum ?? inside);
}

/** A number just inside an exclusive bound that does not exceed the other bound. */
function between(bound: number, other: number | undefined, direction: number): number {
  return other === undefined || Math.abs(other - bound) > 2 ? bound + direction : (bound + other) / 2;
}

function numberAt(schema: JsonObject, key: string): number | undefined {
  const value = schema[key];
  return typeof value === 'number' ? value : undefined;
}

/** Removes rounding errors: 0.30000000000000004 fails `multipleOf: 0.1`. */
function clean(value: number): number {
  return Number(value.toPrecision(12));
}

/** References that are followed in a row: they may form a cycle. */
const DEEPEST_REFERENCE = 20;

/** A schema with its references resolved and with `allOf` and the first alternative that is not `null` merged in. */
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

/** The schema at a JSON pointer such as `#/$defs/item`. */
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

/** Merges two schemas: properties and required names are united, other keywords of `over` win. */
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
