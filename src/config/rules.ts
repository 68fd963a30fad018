import { resolve } from 'node:path';
import { parseDuration } from '../common/index.js';
import { type Rule } from './setting.js';

export const MIB = 1024 * 1024;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Schemes that an error message may name; any other prefix could be part of a secret. */
const KNOWN_SCHEME = /^(https?|ftp|file|sqlite|postgres|postgresql|mysql|mongodb|redis):/i;

/** The smallest and the largest number that a rule accepts. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** A whole number in decimal digits. */
export function integer({ min, max }: Bounds, unit?: string): Rule<number> {
  const numberOf = (text: string): number => (/^[+-]?\d{1,15}$/.test(text) ? Number(text) : Number.NaN);
  return {
    expectation: `a whole number from ${min} to ${max}`,
    unit,
    parse: (text) => (numberOf(text) >= min && numberOf(text) <= max ? numberOf(text) : undefined),
    describe: (text) => (Number.isNaN(numberOf(text)) ? undefined : `the number ${numberOf(text)}`),
  };
}

/** A length of time as a whole number of milliseconds. */
export function milliseconds(bounds: Bounds): Rule<number> {
  return integer(bounds, 'ms');
}

/** A size as a whole number of bytes. */
export function bytes(bounds: Bounds): Rule<number> {
  return integer(bounds, 'bytes');
}

/** A length of time written with its unit, such as `24h`; the value and the bounds are milliseconds. */
export function duration({ min, max }: Bounds): Rule<number> {
  return {
    expectation: `a number with its unit ms, s, m, h or d, such as 90s or 24h, from ${min} to ${max} ms`,
    parse: (text) => {
      const ms = parseDuration(text);
      return ms !== undefined && ms >= min && ms <= max ? ms : undefined;
    },
  };
}

/** `true` or `false`. */
export function flag(): Rule<boolean> {
  return {
    expectation: 'true or false',
    parse: (text) => (/^(true|1)$/i.test(text) ? true : /^(false|0)$/i.test(text) ? false : undefined),
  };
}

/** One of a few words. */
export function choice<const Words extends readonly string[]>(...words: Words): Rule<Words[number]> {
  return {
    expectation: `one of ${words.join(', ')}`,
    parse: (text) => words.find((word) => word === text),
  };
}

/** Any text up to a length. */
export function text(maxLength: number): Rule<string> {
  return {
    expectation: `a text of 1 to ${maxLength} characters`,
    parse: (value) => (value.length >= 1 && value.length <= maxLength ? value : undefined),
  };
}

/** A file or folder; the value is its absolute path. */
export function path(): Rule<string> {
  const rule = text(4096);
  return {
    expectation: rule.expectation,
    parse: (value) => (rule.parse(value) === undefined ? undefined : resolve(value)),
  };
}

/** A key or name that can be sent in a header: printable ASCII without spaces. */
export function token(maxLength: number): Rule<string> {
  return {
    expectation: `a text of 1 to ${maxLength} printable ASCII characters without spaces`,
    parse: (value) => (value.length <= maxLength && /^[\x21-\x7e]+$/.test(value) ? value : undefined),
  };
}

/** An http(s) address without user name, password, query or fragment. */
export function httpUrl(): Rule<string> {
  return {
    expectation: 'an http:// or https:// address without user name, password, query or fragment',
    parse: (value) => (isPlainHttpUrl(value) ? value : undefined),
    describe: describeAddress,
  };
}

/** An http(s) address that may have a query, without user name, password or fragment. */
export function httpUrlWithQuery(): Rule<string> {
  return {
    expectation: 'an http:// or https:// address without user name, password or fragment',
    parse: (value) => (isPlainHttpUrl(value, { query: true }) ? value : undefined),
    describe: describeAddress,
  };
}

/** http(s) addresses separated by commas; the value has none of their trailing slashes. */
export function httpUrls(): Rule<readonly string[]> {
  return {
    expectation:
      'a comma-separated list of http:// or https:// addresses without user name, password, query or fragment',
    parse: (value) => {
      const items = splitList(value);
      if (items.length === 0 || !items.every((item) => isPlainHttpUrl(item))) return undefined;
      return items.map((item) => item.replace(/\/+$/, ''));
    },
    describe: describeAddress,
  };
}

/** Host names in lower case. */
export function hostNames(): Rule<readonly string[]> {
  return {
    expectation: 'a comma-separated list of host names without ports, such as chat.example.org',
    parse: (text) => {
      const items = splitList(text).map((item) => item.toLowerCase());
      const isValid = items.every((item) => /^([a-z0-9_.-]{1,253}|\[[0-9a-f:.]+\])$/.test(item));
      return items.length > 0 && isValid ? items : undefined;
    },
  };
}

/** Patterns of names, separated by commas. */
export function namePatterns(): Rule<readonly string[]> {
  return {
    expectation: 'a comma-separated list of names, in which * stands for any characters',
    parse: (list) => {
      const items = splitList(list);
      return items.length > 0 && items.every((item) => /^[\w.*-]{1,128}$/.test(item)) ? items : undefined;
    },
  };
}

/** The items of a comma-separated list, trimmed, without empty ones. */
export function splitList(list: string): string[] {
  return list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** Shows only the scheme: a mistyped address may hold a password, or be a key put into the wrong variable. */
export function describeAddress(value: string): string {
  const scheme = KNOWN_SCHEME.exec(value)?.[0];
  const beginning = scheme === undefined ? '' : ` that begins with ${scheme}`;
  return `a text of ${value.length} characters${beginning} (not shown)`;
}

/** The parts of an address, or undefined if it is not a URL. */
export function parseUrl(candidate: string): URL | undefined {
  return URL.canParse(candidate) ? new URL(candidate) : undefined;
}

function isPlainHttpUrl(value: string, allowed: { readonly query: boolean } = { query: false }): boolean {
  const url = parseUrl(value);
  if (url === undefined || !/^https?:$/.test(url.protocol)) return false;
  return !url.username && !url.password && !url.hash && (allowed.query || !url.search);
}
