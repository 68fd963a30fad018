import { isTimeZone, type Json, type JsonObject } from '../../common/index.js';
import type { Evidence } from './evidence.js';
import { splitIdentifiers } from './text-parsing.js';

/** A string property: its name, its schema, and whether it must have a value. */
interface StringSlot {
  /** The name of the property. */
  readonly key: string;
  /** The resolved schema of the property. */
  readonly schema: JsonObject;
  /** Whether a value must be made even if the text has none. */
  readonly required: boolean;
}

/** Values of formats for required properties that the text says nothing about. */
const FILLERS: Readonly<Record<string, string>> = {
  'date-time': '1970-01-01T00:00:00Z',
  date: '1970-01-01',
  time: '00:00:00Z',
  duration: 'PT1H',
  email: 'user@example.com',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  'uri-reference': 'https://example.com/',
  hostname: 'example.com',
  ipv4: '127.0.0.1',
  ipv6: '::1',
  uuid: '00000000-0000-4000-8000-000000000000',
};

/**
 * A string for a property, and whether it comes from the text; undefined if an optional property is not in the text.
 */
export function stringFor(slot: StringSlot, evidence: Evidence): { value: string; found: boolean } | undefined {
  const found = foundString(slot, evidence);
  if (found !== undefined) return { value: fitLength(found, slot.schema), found: true };
  const fallback = fallbackString(slot, evidence);
  return fallback === undefined ? undefined : { value: fitLength(fallback, slot.schema), found: false };
}

/** A value from the text: by format first, then by the property's name, then the next quoted text. */
function foundString({ key, schema, required }: StringSlot, evidence: Evidence): string | undefined {
  const format = typeof schema['format'] === 'string' ? schema['format'] : '';
  const name = splitIdentifiers(key).toLowerCase();
  const hint = `${name} ${descriptionOf(schema).toLowerCase()}`;
  if (typeof schema['pattern'] === 'string') return evidence.takeMatching(schema);
  if (FILLERS[format] !== undefined) return byFormat(schema, name, evidence);
  const named = byName(name, hint, evidence);
  if (named !== undefined) return named;
  if (/\btime ?zone\b|\btz\b|时区/.test(name)) return evidence.namedTimeZone;
  if (/\b(?:city|cities|location|place|town|region)\b|城市|地点/.test(name)) {
    const place = evidence.takePlace();
    if (place !== undefined) return place;
  }
  const keyed = evidence.keyed(name.split(' '));
  if (keyed !== undefined) return keyed;
  if (/\b(?:colou?r|background|theme)\b|颜色|背景/.test(hint) && evidence.colour) return evidence.colour;
  if (/\b(?:title|summary|subject|name|label|topic)\b|标题|主题/.test(name)) {
    const title = evidence.title();
    if (title !== undefined) return title;
  }
  return required || !/\b(?:id|token|cursor)\b/.test(name) ? evidence.takeQuoted() : undefined;
}

/** A value of exactly this format. The format takes precedence over the property's name. */
function byFormat(schema: JsonObject, name: string, evidence: Evidence): string | undefined {
  switch (schema['format']) {
    case 'email':
      return emailIn(evidence.text);
    case 'uri':
    case 'url':
    case 'uri-reference':
      return addressIn(evidence.text);
    case 'hostname':
      return evidence.takeMatching({ ...schema, pattern: '\\.[A-Za-z]' });
    case 'date':
      return evidence.moment?.date;
    case 'time':
      return evidence.moment?.time && `${evidence.moment.time}:00Z`;
    case 'date-time':
      return evidence.dateTime(plusMinutes(name, evidence), true);
    default:
      return evidence.takeMatching(schema);
  }
}

/** A value of the kind that the property's name suggests. */
function byName(name: string, hint: string, evidence: Evidence): string | undefined {
  if (/\b(?:file|path)(?: ?name)?\b/.test(name)) return fileIn(evidence.text);
  if (/\be?mail\b/.test(name)) return emailIn(evidence.text);
  if (/\b(?:url|uri|link|address)\b/.test(name)) return addressIn(evidence.text);
  if (/(?:^|\s)(?:date|day)$/.test(name)) return evidence.moment?.date;
  if (!/\b(?:start|starts|begin|begins|end|ends|when|datetime|due|until|from|to)\b|\btime$|\bat$/.test(name))
    return undefined;
  return evidence.dateTime(plusMinutes(name, evidence), /offset|rfc ?3339/.test(hint));
}

/** The end of an event is its start and the duration; 60 minutes if the text names none. */
function plusMinutes(name: string, evidence: Evidence): number {
  return /\b(?:end|ends|until|to)\b/.test(name) ? (evidence.durationMinutes ?? 60) : 0;
}

/** The first e-mail address of a text. */
function emailIn(text: string): string | undefined {
  return /(?<![\w+-])[\w+-]{1,64}(?:\.[\w+-]{1,64}){0,8}@[a-z\d-]{1,63}(?:\.[a-z\d-]{1,63}){1,8}/i.exec(text)?.[0];
}

/** The first name of a file in a text, with its folders. */
function fileIn(text: string): string | undefined {
  return /(?<![\w/.-])[\w/.-]{1,200}\.[a-z][a-z\d]{0,7}(?![\w/])/i.exec(text)?.[0];
}

/** The first web address of a text, without the punctuation after it. */
function addressIn(text: string): string | undefined {
  const address = /https?:\/\/[^\s"'<>)\]]+/.exec(text)?.[0].replace(/[.,;!?]+$/, '');
  return address !== undefined && URL.canParse(address)
    ? address.replace(/[^\x21-\x7e]/gu, encodeURIComponent)
    : undefined;
}

/** The description of a schema, which often says what a property with a vague name means. */
function descriptionOf({ description }: JsonObject): string {
  return typeof description === 'string' ? description : '';
}

/** A value for a required property that the text says nothing about. */
function fallbackString({ key, schema, required }: StringSlot, evidence: Evidence): string | undefined {
  if (typeof schema['default'] === 'string') return schema['default'];
  if (!required) return undefined;
  const examples: Json | undefined = schema['examples'];
  if ('pattern' in schema && Array.isArray(examples) && typeof examples[0] === 'string') return examples[0];
  const filler = typeof schema['format'] === 'string' ? FILLERS[schema['format']] : undefined;
  if (filler !== undefined) return filler;
  if (/^(?:event_?)?(?:title|summary|subject)$/i.test(key)) return evidence.planned() ?? evidence.payload;
  if (/time_?zone/i.test(key)) return isTimeZone(evidence.timeZone) ? evidence.timeZone : 'UTC';
  if ('pattern' in schema) evidence.missing.push(key);
  return evidence.payload;
}

/** Clients send schemas: a large `minLength` must not make the server write large texts. */
const MOST_PADDING = 10_000;

/** Brings a text to the schema's lengths, in Unicode code points as JSON Schema counts them. */
function fitLength(value: string, schema: JsonObject): string {
  const { minLength, maxLength } = schema;
  let characters = Array.from(value);
  if (typeof maxLength === 'number') characters = characters.slice(0, maxLength);
  const least = typeof minLength === 'number' ? Math.min(minLength, MOST_PADDING) : 0;
  while (characters.length < least) characters.push('.');
  return characters.join('');
}
