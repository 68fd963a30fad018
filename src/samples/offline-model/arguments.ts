import { isPlainObject, isTimeZone, type Json, type JsonObject } from '../../common/index.js';
import type { Evidence } from './evidence.js';
import { splitIdentifiers } from './text.js';

/** Optional properties below this depth are left out, so that recursive schemas end. */
const DEEPEST_OPTIONAL = 4;
/** Values below this depth are null, and references are followed this far: a schema may require its own recursion. */
const DEEPEST = 16;
/** Parts of one schema that are looked at: clients send schemas, and a schema may refer to itself often. */
const MOST_STEPS = 5000;
const CHARACTERS_PER_STEP = 20;
/** Items of an array, and characters that a text is padded to. */
const MOST_ITEMS = 1000;
const MOST_PADDING = 10_000;

/** Values of formats for required properties that the text says nothing about. */
const FILLERS: Readonly<Record<string, string>> = {
  'date-time': '1970-01-01T00:00:00Z',
  date: '1970-01-01',
  time: '00:00:00Z',
  duration: 'PT1H',
  email: 'user@example.com',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  hostname: 'example.com',
  ipv4: '127.0.0.1',
  ipv6: '::1',
  uuid: '00000000-0000-4000-8000-000000000000',
};

/**
 * Makes the arguments of a tool call from its JSON Schema and the user's text. Required properties always have a value of
 * the right shape; optional ones only if the text has a value for them. Of a very large schema only a part is made.
 */
export function synthesizeArguments(parameters: JsonObject, evidence: Evidence): JsonObject {
  return new Synthesis(parameters, evidence).object({ ...parameters, type: 'object' });
}

/** Makes an instance of any JSON Schema in the same way. */
export function synthesizeValue(schema: JsonObject, evidence: Evidence): Json {
  return new Synthesis(schema, evidence).instance(schema);
}

/** Names of properties that take a date and a time. */
const WHEN = /\b(?:starts?|begins?|ends?|when|datetime|due|until|from|to)\b|\b(?:time|at)$/;

/** A value to make. */
interface Slot {
  /** The name of the property in words; for an item, that of its array. */
  readonly name: string;
  readonly key: string;
  /** With references and alternatives resolved. */
  readonly schema: JsonObject;
  /** Whether a value must be made even if the text has none. */
  readonly required: boolean;
  readonly depth: number;
}
/** A value, and whether it comes from the text; undefined if an optional value is left out. */
type Made<T extends Json = Json> = { readonly value: T; readonly found: boolean } | undefined;

/** Makes values by one schema. */
class Synthesis {
  private steps = 0;

  constructor(
    private readonly root: JsonObject,
    private readonly evidence: Evidence,
  ) {}

  object(schema: JsonObject): JsonObject {
    return this.makeObject(this.slot('', schema, true, 0)).value;
  }

  instance(schema: JsonObject): Json {
    return this.make(this.slot('', schema, true, 0))?.value ?? null;
  }

  private slot(key: string, schema: Json | undefined, required: boolean, depth: number): Slot {
    return { key, name: splitIdentifiers(key).toLowerCase(), schema: this.resolve(schema), required, depth };
  }

  /** Takes steps for more work. False once too many are taken: then what is optional is left out. */
  private step(count = 1): boolean {
    this.steps += count;
    return this.steps <= MOST_STEPS;
  }

  /** A part of the schema with `$ref`, `allOf` and the first alternative that is not `null` merged in. */
  private resolve(schema: Json | undefined, depth = 0): JsonObject {
    if (!isPlainObject(schema) || depth > DEEPEST || !this.step()) return {};
    const { $ref, allOf, anyOf, oneOf, ...own } = schema;
    const views = (parts: Json | undefined): JsonObject[] =>
      Array.isArray(parts) ? parts.map((part) => this.resolve(part, depth + 1)) : [];
    const referred = typeof $ref === 'string' ? [this.resolve(this.lookUp($ref), depth + 1)] : [];
    const chosen = [anyOf, oneOf].flatMap((parts) => {
      const all = views(parts);
      return [...all.filter((view) => typeOf(view) !== 'null'), ...all].slice(0, 1);
    });
    return [...referred, own, ...views(allOf), ...chosen].reduce((base, over) => this.merge(base, over));
  }

  /** The schema at a JSON pointer such as `#/$defs/item`. */
  private lookUp(reference: string): Json | undefined {
    let current: Json | undefined = reference.startsWith('#') ? this.root : undefined;
    for (const step of reference.split('/').slice(1)) {
      const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
      current = isPlainObject(current) && Object.hasOwn(current, key) ? current[key] : undefined;
    }
    return current;
  }

  /** Merges two schemas: properties and required names are united, other keywords of `over` win. */
  private merge(base: JsonObject, over: JsonObject): JsonObject {
    const properties = { ...propertiesOf(base), ...propertiesOf(over) };
    const required = [...requiredOf(base), ...requiredOf(over)];
    const isWhole = this.step(Object.keys(properties).length + required.length);
    return {
      ...base,
      ...over,
      ...(isWhole && 'properties' in { ...base, ...over } && { properties }),
      ...(isWhole && required.length > 0 && { required }),
    };
  }

  /** Makes a value by the keyword that restricts it most: `const`, then `enum`, then the type. */
  private make(slot: Slot): Made {
    const { schema, required } = slot;
    const empty = required ? { value: null, found: false } : undefined;
    if (slot.depth > DEEPEST || !this.step()) return empty;
    if ('const' in schema) return empty && { ...empty, value: schema['const'] ?? null };
    if (Array.isArray(schema['enum'])) return this.makeChoice(schema['enum'], slot);
    switch (typeOf(schema)) {
      case 'object':
        return this.makeObject(slot);
      case 'array':
        return this.makeArray(slot);
      case 'number':
      case 'integer':
        return this.makeNumber(slot);
      case 'boolean':
        return this.makeBoolean(slot);
      case 'null':
        return empty;
      default:
        return this.makeString(slot);
    }
  }

  /** The choice that the text names, otherwise the default or the first one. */
  private makeChoice(choices: readonly Json[], { schema, required }: Slot): Made {
    const named =
      choices.find((choice) => this.occurs(choice)) ?? choices.find((choice) => choice === this.evidence.color);
    if (named !== undefined) return { value: named, found: true };
    return required ? { value: schema['default'] ?? choices[0] ?? null, found: false } : undefined;
  }

  /** Whether the text contains a choice as a word, in any letter case. */
  private occurs(choice: Json): boolean {
    const words = typeof choice === 'number' || typeof choice === 'string' ? String(choice).trim() : '';
    if (words === '' || !this.evidence.maySearch()) return false;
    const escaped = words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/[_\s-]+/g, '[_\\s-]+');
    const pattern = /^\p{Script=Han}/u.test(words) ? escaped : `(?<![\\p{L}\\d])${escaped}(?![\\p{L}\\d])`;
    return new RegExp(pattern, 'iu').test(this.evidence.text);
  }

  /** Properties in the order of the schema, because quoted texts and numbers are used in order. */
  private makeObject({ schema, depth }: Slot): NonNullable<Made<JsonObject>> {
    const properties = propertiesOf(schema);
    const required = new Set(requiredOf(schema));
    const value: JsonObject = {};
    let found = false;
    for (const key of new Set([...Object.keys(properties), ...required])) {
      // Validators read the prototype under this name, so no value can be valid.
      if (key === '__proto__' || (!required.has(key) && depth >= DEEPEST_OPTIONAL)) continue;
      if (!required.has(key) && !this.step()) break;
      const child = Object.hasOwn(properties, key) ? properties[key] : undefined;
      const made = this.make(this.slot(key, child, required.has(key), depth + 1));
      if (!made || (!required.has(key) && !made.found)) continue;
      value[key] = made.value;
      found ||= made.found;
    }
    return { value, found };
  }

  /** The items that the text names, filled up to `minItems` with choices or with equal values. */
  private makeArray({ key, schema, required, depth }: Slot): Made {
    const { minItems = 0, maxItems = MOST_ITEMS } = schema;
    const item = this.slot(key, schema['items'], true, depth + 1);
    const values = this.foundItems({ ...item, required: false });
    const found = values.length > 0;
    if (!found && !required) return undefined;
    const choices = Array.isArray(item.schema['enum']) ? item.schema['enum'] : [];
    const unused = choices.filter((choice) => !values.includes(choice));
    while (values.length < Math.min(Number(minItems), MOST_ITEMS)) {
      values.push(unused.shift() ?? this.make(item)?.value ?? null);
    }
    return { value: values.slice(0, Number(maxItems)), found };
  }

  /** The choices, numbers and texts of the user that fit the items, each once. */
  private foundItems(item: Slot): Json[] {
    const choices = item.schema['enum'];
    if (Array.isArray(choices)) return choices.filter((choice) => this.occurs(choice));
    const values = new Map<string, Json>();
    for (let made = this.make(item); made?.found && values.size < MOST_ITEMS; made = this.make(item)) {
      const text = JSON.stringify(made.value);
      if (values.has(text)) break;
      values.set(text, made.value);
    }
    return [...values.values()];
  }

  /** A number that the text gives by name, otherwise its next unused one. */
  private makeNumber({ name, schema, required }: Slot): Made {
    const { evidence } = this;
    const isDuration = /\b(?:duration|minutes)\b/.test(name);
    const keyed = Number.parseFloat(evidence.keyed(name) ?? '');
    const named = (isDuration ? evidence.durationMinutes : undefined) ?? (Number.isNaN(keyed) ? undefined : keyed);
    // Next to a date, a bare number is part of the date and not a duration.
    const number = named ?? (isDuration && evidence.moment ? undefined : evidence.takeNumber());
    if (number !== undefined) return { value: fitNumber(number, schema), found: true };
    return required ? { value: fitNumber(numberAt(schema, 'default') ?? 0, schema), found: false } : undefined;
  }

  /** True or false, from words such as "on", "off", "enable" or "without". */
  private makeBoolean({ name, schema, required }: Slot): Made {
    const { text } = this.evidence;
    const isNegative = /\b(?:off|false|disabled?|no|not|don't|without)\b|关|不要|禁用/i.test(text);
    const isPositive = /\b(?:on|true|enabled?|yes)\b|打开|开启|启用/i.test(text);
    if (this.occurs(name) || (required && (isNegative || isPositive))) return { value: !isNegative, found: true };
    return required ? { value: schema['default'] === true, found: false } : undefined;
  }

  /** A text takes more steps the longer it is, so that many long ones end too. */
  private makeString(slot: Slot): Made {
    const found = this.foundString(slot);
    const value = found ?? this.fallbackString(slot);
    if (value === undefined) return undefined;
    const fitted = fitLength(value, slot.schema);
    this.step(Math.floor(fitted.length / CHARACTERS_PER_STEP));
    return { value: fitted, found: found !== undefined };
  }

  /** A value from the text: by pattern or format first, then by the property's name, then the next quoted text. */
  private foundString({ name, schema, required }: Slot): string | undefined {
    const { evidence } = this;
    const { text, moment } = evidence;
    const { format, pattern, description } = schema;
    const hint = `${name} ${typeof description === 'string' ? description.toLowerCase() : ''}`;
    const isFormat = typeof format === 'string' && format in FILLERS;
    const end = /\b(?:end|ends|until|to)\b/.test(name) ? (evidence.durationMinutes ?? 60) : 0;
    if (typeof pattern === 'string') return evidence.takeMatching(schema);
    if (format === 'date-time') return evidence.dateTime(end, true);
    if (format === 'date') return moment?.date;
    if (format === 'time') return moment?.time && `${moment.time}:00Z`;
    if (format === 'hostname') return evidence.takeMatching({ ...schema, pattern: '\\.[A-Za-z]' });
    if (format === 'uri' || format === 'url') return addressIn(text);
    if (isFormat) return evidence.takeMatching(schema);
    const kinds: readonly (readonly [RegExp, () => string | undefined])[] = [
      [/\b(?:file|path)\b/, () => /(?<![\w/.-])[\w/.-]{1,200}\.[a-z][a-z\d]{0,7}(?![\w/])/i.exec(text)?.[0]],
      [/\be?mail\b/, () => evidence.takeMatching({ format: 'email' })],
      [/\b(?:url|uri|link|address)\b/, () => addressIn(text)],
      [/(?:^|\s)(?:date|day)$/, () => moment?.date],
      [WHEN, () => evidence.dateTime(end, /offset|rfc ?3339/.test(hint))],
    ];
    const named = kinds.find(([pattern]) => pattern.test(name))?.[1]();
    if (named !== undefined) return named;
    if (/\btime ?zone\b|\btz\b|时区/.test(name)) return evidence.namedTimeZone;
    const place = /\b(?:city|location|place|town|region)\b|城市|地点/.test(name) ? evidence.takePlace() : undefined;
    const given = place ?? evidence.keyed(name);
    if (given !== undefined) return given;
    if (/\b(?:colou?r|background|theme)\b|颜色|背景/.test(hint) && evidence.color) return evidence.color;
    const title = /\b(?:title|summary|subject|name|topic)\b|标题|主题/.test(name) ? evidence.title() : undefined;
    return title ?? (required || !/\b(?:id|token|cursor)\b/.test(name) ? evidence.takeQuoted() : undefined);
  }

  /** A value for a property that the text says nothing about. */
  private fallbackString({ key, name, schema, required }: Slot): string | undefined {
    const { evidence } = this;
    const { default: usual, examples, format } = schema;
    if (typeof usual === 'string') return usual;
    if (!required) return undefined;
    if ('pattern' in schema && Array.isArray(examples) && typeof examples[0] === 'string') return examples[0];
    if (typeof format === 'string' && FILLERS[format] !== undefined) return FILLERS[format];
    if (/^(?:event )?(?:title|summary|subject)$/.test(name)) return evidence.planned() ?? evidence.payload;
    if (/time ?zone/.test(name)) return isTimeZone(evidence.timeZone) ? evidence.timeZone : 'UTC';
    if ('pattern' in schema) evidence.missing.push(key);
    return evidence.payload;
  }
}

/** The type of a resolved schema: the first that it names except `null`, otherwise the one its keywords imply. */
function typeOf(schema: JsonObject): string {
  const { type } = schema;
  if (typeof type === 'string') return type;
  if (Array.isArray(type))
    return type.filter((name) => typeof name === 'string').find((name) => name !== 'null') ?? 'null';
  if ('properties' in schema || 'additionalProperties' in schema) return 'object';
  if ('items' in schema || 'minItems' in schema) return 'array';
  return 'minimum' in schema || 'maximum' in schema || 'multipleOf' in schema ? 'number' : 'string';
}

function propertiesOf({ properties }: JsonObject): JsonObject {
  return isPlainObject(properties) ? properties : {};
}

function requiredOf({ required }: JsonObject): readonly string[] {
  return Array.isArray(required) ? required.map(String) : [];
}

function numberAt(schema: JsonObject, key: string): number | undefined {
  const value = schema[key];
  return typeof value === 'number' ? value : undefined;
}

/** The number nearest to `value` that the bounds, the step and the type of a schema allow. */
function fitNumber(value: number, schema: JsonObject): number {
  const step = numberAt(schema, 'multipleOf') ?? (typeOf(schema) === 'integer' ? 1 : 0);
  const [above = -Infinity, below = Infinity] = [
    numberAt(schema, 'exclusiveMinimum'),
    numberAt(schema, 'exclusiveMaximum'),
  ];
  const least = Math.max(numberAt(schema, 'minimum') ?? -Infinity, above);
  const most = Math.min(numberAt(schema, 'maximum') ?? Infinity, below);
  // How far inside of an exclusive bound the number is, before it is rounded to a step.
  const inside = step > 0 ? step * 1e-6 : Math.min(1, (most - least) / 2);
  // Without rounding errors: 0.30000000000000004 is no multiple of 0.1.
  const stepped = (n: number, round: (n: number) => number): number =>
    step > 0 && Number.isFinite(n) ? Number((round(n / step) * step).toPrecision(12)) : n;
  const low = stepped(least === above ? least + inside : least, Math.ceil);
  const high = stepped(most === below ? most - inside : most, Math.floor);
  return Math.max(low, Math.min(high, stepped(value, Math.round))) + 0;
}

/** The first web address of a text, without the punctuation after it. */
function addressIn(text: string): string | undefined {
  const address = /https?:\/\/[^\s"'<>)\]]+/.exec(text)?.[0].replace(/[.,;!?]+$/, '') ?? '';
  return URL.canParse(address) ? address.replace(/[^\x21-\x7e]/gu, encodeURIComponent) : undefined;
}

/** Brings a text to the schema's lengths, in Unicode code points as JSON Schema counts them. */
function fitLength(value: string, schema: JsonObject): string {
  const [least = 0, most] = [numberAt(schema, 'minLength'), numberAt(schema, 'maxLength')];
  const characters = Array.from(value).slice(0, most);
  return characters.join('') + '.'.repeat(Math.max(0, Math.min(least, MOST_PADDING) - characters.length));
}
