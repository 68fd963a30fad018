import type { Json, JsonObject } from '../../common/index.js';
import type { Evidence } from './evidence.js';
import { isObject, SchemaView, typeOf } from './schema-view.js';
import { stringFor } from './string-values.js';
import { splitIdentifiers } from './text-parsing.js';

/** Optional properties below this depth are left out, so that recursive schemas terminate. */
const DEEPEST_OPTIONAL = 4;
/** Values below this depth are null: a schema may require its own recursion. */
const DEEPEST = 16;
/** Items of a made array. Clients send schemas, so a large `minItems` must not produce a large value. */
const MOST_ITEMS = 1_000;
const CHARACTERS_PER_STEP = 20;

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
  /** The whole schema. */
  readonly view: SchemaView;
}
/** A made value, and whether it comes from the text; undefined if an optional value is left out. */
type Made = { readonly value: Json; readonly found: boolean } | undefined;

/**
 * Makes the arguments of a tool call from its JSON Schema and the user's text. Required properties always
 * have a value of the right shape; optional ones only if the text contains a value for them. Of a schema that is very
 * large, or that refers to itself often, only a part is made.
 */
export function synthesizeArguments(parameters: JsonObject, evidence: Evidence): JsonObject {
  const view = new SchemaView(parameters);
  return makeObject({ key: '', schema: view.resolve(parameters), required: true, depth: 0, view }, evidence).value;
}

/** Makes a value by the keyword that restricts it most: `const`, then `enum`, then the type. */
function make(slot: Slot, evidence: Evidence): Made {
  const { schema, required } = slot;
  if (slot.depth > DEEPEST || !slot.view.step()) return required ? { value: null, found: false } : undefined;
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
      return makeString(slot, evidence);
  }
}

/** A text takes more steps the longer it is, so that many long ones end too. */
function makeString(slot: Slot, evidence: Evidence): Made {
  const made = stringFor(slot, evidence);
  slot.view.step(Math.floor((made?.value.length ?? 0) / CHARACTERS_PER_STEP));
  return made;
}

/** The choice of an `enum` that the text names, otherwise its default or first one. */
function makeChoice(choices: readonly Json[], slot: Slot, evidence: Evidence): Made {
  const named = choices.find((choice) => occurs(choice, evidence));
  if (named !== undefined) return { value: named, found: true };
  const colour = choices.find((choice) => choice === evidence.colour);
  if (colour !== undefined) return { value: colour, found: true };
  if (!slot.required) return undefined;
  return { value: slot.schema['default'] ?? choices[0] ?? null, found: false };
}

/** Properties in the order of the schema, because quoted texts and numbers are used in order. */
function makeObject(slot: Slot, evidence: Evidence): { value: JsonObject; found: boolean } {
  const { schema, view, depth } = slot;
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
    if (!isRequired && !view.step()) break;
    const made = make({ key, schema: view.resolve(child), required: isRequired, depth: depth + 1, view }, evidence);
    if (!made || (!isRequired && !made.found)) continue;
    value[key] = made.value;
    found ||= made.found;
  }
  return { value, found };
}

/** The items that the text names, filled up to `minItems`. Gives up when no more distinct ones can be made. */
function makeArray(slot: Slot, evidence: Evidence): Made {
  const { schema, view, depth, key } = slot;
  const least = Math.min(typeof schema['minItems'] === 'number' ? schema['minItems'] : 0, MOST_ITEMS);
  const most = typeof schema['maxItems'] === 'number' ? schema['maxItems'] : MOST_ITEMS;
  const item: Slot = { key, schema: view.resolve(schema['items']), required: true, depth: depth + 1, view };
  const choices = item.schema['enum'];
  const values: Json[] = Array.isArray(choices)
    ? choices.filter((choice) => occurs(choice, evidence))
    : foundItems(item, evidence);
  const found = values.length > 0;
  if (!found && !slot.required) return undefined;
  const unique = schema['uniqueItems'] === true;
  const texts = new Set(unique ? values.map((value) => JSON.stringify(value)) : []);
  for (let n = 0; values.length < least && n < MOST_ITEMS * 2; n += 1) {
    const extra = Array.isArray(choices)
      ? choices[n % choices.length]
      : distinct(make(item, evidence)?.value ?? null, unique ? n : 0, item);
    const text = unique ? JSON.stringify(extra) : '';
    if (unique && texts.has(text)) continue;
    texts.add(text);
    values.push(extra ?? null);
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
    name.trim() !== '' &&
    evidence.maySearch() &&
    new RegExp(`(?<![\\p{L}\\d])${name.replace(/[^\p{L}\d ]/gu, '')}`, 'iu').test(text);
  const negative = /\b(?:off|false|disabled?|disabling|no|not|don't|without|deactivate)\b|关|不要|禁用/i.test(text);
  const positive = /\b(?:on|true|enabled?|activate|yes)\b|打开|开启|启用/i.test(text);
  if (mentioned || (required && (negative || positive))) return { value: !negative, found: true };
  return required ? { value: schema['default'] === true, found: false } : undefined;
}

/** Whether the text contains a choice as a word, in any letter case. */
function occurs(choice: Json, evidence: Evidence): boolean {
  if (!evidence.maySearch()) return false;
  const { text } = evidence;
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
