import type { Json, JsonObject } from '../../common/index.js';
import type { Evidence } from './evidence.js';
import { isTimeZone } from './places.js';
import { splitIdentifiers } from './words.js';

/** Where a string property stands and whether it has to have a value. */
export interface StringSlot {
  readonly key: string;
  readonly schema: JsonObject;
  readonly required: boolean;
}

/** Formats that are made up only when a required value is nowhere in the text. */
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

/** A string for a property, and whether the text holds it; undefined when nothing is known of it. */
export function stringFor(slot: StringSlot, evidence: Evidence): { value: string; found: boolean } | undefined {
  const found = foundString(slot, evidence);
  if (found !== undefined) return { value: fitLength(found, slot.schema), found: true };
  const fallback = fallbackString(slot, evidence);
  return fallback === undefined ? undefined : { value: fitLength(fallback, slot.schema), found: false };
}

function foundString({ key, schema, required }: StringSlot, evidence: Evidence): string | undefined {
  const format = typeof schema['format'] === 'string' ? schema['format'] : '';
  const name = splitIdentifiers(key).toLowerCase();
  const hint = `${name} ${descriptionOf(schema).toLowerCase()}`;
  if (FILLERS[format] !== undefined) return byFormat(format, name, evidence);
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

/** A value of exactly this format: a hint of the name never overrules it. */
function byFormat(format: string, name: string, evidence: Evidence): string | undefined {
  switch (format) {
    case 'email':
      return emailIn(evidence.text);
    case 'uri':
    case 'url':
    case 'uri-reference':
      return addressIn(evidence.text);
    case 'uuid':
      return /(?<![\da-f])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\da-f])/i.exec(evidence.text)?.[0];
    case 'date':
      return evidence.moment?.date;
    case 'time':
      return evidence.moment?.time && `${evidence.moment.time}:00Z`;
    case 'date-time':
      return evidence.dateTime(plusMinutes(name, evidence), true);
    default:
      return undefined;
  }
}

/** A value that the property's name asks for. */
function byName(name: string, hint: string, evidence: Evidence): string | undefined {
  if (/\be?mail\b/.test(name)) return emailIn(evidence.text);
  if (/\b(?:url|uri|link|address)\b/.test(name)) return addressIn(evidence.text);
  if (/(?:^|\s)(?:date|day)$/.test(name)) return evidence.moment?.date;
  if (!/\b(?:start|starts|begin|begins|end|ends|when|datetime|due|until|from|to)\b|\btime$|\bat$/.test(name))
    return undefined;
  return evidence.dateTime(plusMinutes(name, evidence), /offset|rfc ?3339/.test(hint));
}

function plusMinutes(name: string, evidence: Evidence): number {
  return /\b(?:end|ends|until|to)\b/.test(name) ? (evidence.durationMinutes ?? 60) : 0;
}

function emailIn(text: string): string | undefined {
  return /[\w+-]+(?:\.[\w+-]+)*@[a-z\d-]+(?:\.[a-z\d-]+)+/i.exec(text)?.[0];
}

function addressIn(text: string): string | undefined {
  const address = /https?:\/\/[^\s"'<>)\]]+/.exec(text)?.[0].replace(/[.,;!?]+$/, '');
  return address !== undefined && URL.canParse(address)
    ? address.replace(/[^\x21-\x7e]/gu, encodeURIComponent)
    : undefined;
}

function descriptionOf({ description }: JsonObject): string {
  return typeof description === 'string' ? description : '';
}

function fallbackString({ key, schema, required }: StringSlot, evidence: Evidence): string | undefined {
  if (typeof schema['default'] === 'string') return schema['default'];
  if (!required) return undefined;
  const examples: Json | undefined = schema['examples'];
  if ('pattern' in schema && Array.isArray(examples) && typeof examples[0] === 'string') return examples[0];
  const filler = typeof schema['format'] === 'string' ? FILLERS[schema['format']] : undefined;
  if (filler !== undefined) return filler;
  if (/^(?:event_?)?(?:title|summary|subject)$/i.test(key)) return evidence.planned() ?? evidence.payload;
  if (/time_?zone/i.test(key)) return isTimeZone(evidence.timeZone) ? evidence.timeZone : 'UTC';
  return evidence.payload;
}

/** The schema is a client's: it must not decide how much the server writes. */
const MOST_PADDING = 10_000;

function fitLength(value: string, schema: JsonObject): string {
  const { minLength, maxLength } = schema;
  let characters = Array.from(value);
  if (typeof maxLength === 'number') characters = characters.slice(0, maxLength);
  const least = typeof minLength === 'number' ? Math.min(minLength, MOST_PADDING) : 0;
  while (characters.length < least) characters.push('.');
  return characters.join('');
}
