import type { Json, JsonObject } from '../../common/index.js';
import { fitNumber } from './argument-numbers.js';
import { stringFor } from './argument-strings.js';
import { isObject, resolveSchema, typeOf } from './schema-view.js';
import type { Evidence } from './evidence.js';
import { splitIdentifiers } from './words.js';

/** Optional properties are not looked into below this depth, so that recursive schemas end. */
const DEEPEST_OPTIONAL = 4;
const DEEPEST = 16;
const MOST_ITEMS = 1_000;

interface Slot {
  readonly key: string;
  readonly schema: JsonObject;
  readonly required: boolean;
  readonly depth: number;
  readonly root: JsonObject;
}
type Made = { readonly value: Json; readonly found: boolean } | undefined;

/**
 * The arguments of a tool call, from its JSON Schema and the user's text: required properties always
 * have a value of the right shape; optional ones only when the text holds a value for them.
 */
export function synthesizeArguments(parameters: JsonObject, evidence: Evidence): JsonObject {
  const schema = resolveSchema(parameters, parameters);
  return makeObject({ key: '', schema, required: true, depth: 0, root: parameters }, evidence).value;
}

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

function makeChoice(choices: readonly Json[], slot: Slot, evidence: Evidence): Made {
  const named = choices.find((choice) => occurs(choice, evidence.text));
  if (named !== undefined) return { value: named, found: true };
  const colour = choices.find((choice) => choice === evidence.colour);
  if (colour !== undefined) return { value: colour, found: true };
  if (!slot.required) return undefined;
  return { value: slot.schema['default'] ?? choices[0] ?? null, found: false };
}

function makeObject(slot: Slot, evidence: Evidence): { value: JsonObject; found: boolean } {
  const { schema, root, depth } = slot;
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = new Set(Array.isArray(schema['required']) ? schema['required'].map(String) : []);
  const value: JsonObject = {};
  let found = false;
  for (const key of new Set([...Object.keys(properties), ...required])) {
    // Validators look at the prototype under this name, so no value of it can be right.
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

/** Numbers and quoted texts of the user, as far as they fit the items. */
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

/** The same value made different from its copies, for arrays that want no doubles. */
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

function makeNumber({ key, schema, required }: Slot, evidence: Evidence): Made {
  const isInteger = typeOf(schema) === 'integer';
  const words = splitIdentifiers(key).toLowerCase();
  const isDuration = /\b(?:duration|minutes)\b/.test(words);
  const named = (isDuration ? evidence.durationMinutes : undefined) ?? numberOf(evidence.keyed(words.split(' ')));
  // Beside a date, a bare number is part of that and not a length.
  const number = named ?? (isDuration && evidence.moment ? undefined : evidence.takeNumber());
  if (number !== undefined) return { value: fitNumber(number, schema, isInteger), found: true };
  if (!required) return undefined;
  const fallback = typeof schema['default'] === 'number' ? schema['default'] : 0;
  return { value: fitNumber(fallback, schema, isInteger), found: false };
}

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
