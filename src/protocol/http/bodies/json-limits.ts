import { AppError } from '../../../common/index.js';

/** How much structure a JSON value may have. */
export interface JsonLimits {
  /** Nesting of arrays and objects; a flat object has depth 1. */
  readonly maxDepth: number;
  /** Members and items at all levels, counted over the whole document; default 50,000. */
  readonly maxValues?: number;
}

/** What JSON_VALUES_LIMIT is unless it is set. */
export const DEFAULT_MAX_VALUES = 50_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
/** Bytes of a string that are looked at one by one, before the rest is searched natively. */
const SHORT_STRING = 32;

/**
 * Counts the nesting and the values of JSON text before it is parsed: the objects that many small values become cost
 * far more than their text. One pass over the bytes, which ends at the first limit that is exceeded. Whether the text is
 * valid JSON otherwise is not checked; the count of text that is not is of no use, and harmless.
 *
 * @throws AppError INVALID_PARAMETER when it is nested too deeply or has too many values
 */
export function checkJsonText(text: Buffer, { maxDepth, maxValues = DEFAULT_MAX_VALUES }: JsonLimits): void {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at];
    if (byte === QUOTE) {
      at = endOfString(text, at + 1);
    } else if (byte === COMMA) {
      values += 1;
      if (values > maxValues) throw tooManyValues(maxValues);
    } else if (isOpening(byte)) {
      depth += 1;
      if (depth > maxDepth) throw tooDeep(maxDepth);
      // The first member or item has no comma before it.
      if (!isClosing(text[afterSpace(text, at + 1)])) values += 1;
      if (values > maxValues) throw tooManyValues(maxValues);
    } else if (isClosing(byte)) {
      depth -= 1;
      // No JSON: the parser stops here, or before.
      if (depth < 0) return;
    }
  }
}

/** The position of the quote that ends a string; the length of the text without one. */
function endOfString(text: Buffer, start: number): number {
  for (let at = start; at < text.length;) {
    for (const end = at + SHORT_STRING; at < end; at += 1) {
      if (text[at] === QUOTE) return at;
      if (text[at] === BACKSLASH) at += 1;
    }
    const quote = text.indexOf(QUOTE, at);
    if (quote < 0) return text.length;
    let escapes = 0;
    while (quote - escapes > at && text[quote - escapes - 1] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return quote;
    at = quote + 1;
  }
  return text.length;
}

function afterSpace(text: Buffer, start: number): number {
  let at = start;
  while (text[at] === 0x20 || text[at] === 0x0a || text[at] === 0x0d || text[at] === 0x09) at += 1;
  return at;
}

function isOpening(byte: number | undefined): boolean {
  return byte === 0x7b || byte === 0x5b;
}

function isClosing(byte: number | undefined): boolean {
  return byte === 0x7d || byte === 0x5d;
}

/**
 * Checks a parsed JSON value without recursion, so before anything that recurses may touch it.
 *
 * @throws AppError INVALID_PARAMETER when it is nested too deeply, has too many values, or holds a key `__proto__`, or
 *   `prototype` in a `constructor`
 */
export function checkJsonLimits(value: unknown, limits: JsonLimits): void {
  const maxValues = limits.maxValues ?? DEFAULT_MAX_VALUES;
  let count = 0;
  let level: object[] = isContainer(value) ? [value] : [];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > limits.maxDepth) throw tooDeep(limits.maxDepth);
    const below: object[] = [];
    for (const container of level) {
      const children: unknown[] = Array.isArray(container) ? container : Object.values(container);
      if (poisons(container)) {
        throw new AppError('INVALID_PARAMETER', 'The JSON holds a forbidden key: __proto__ or constructor.prototype');
      }
      count += children.length;
      if (count > maxValues) throw tooManyValues(maxValues);
      for (const child of children) if (isContainer(child)) below.push(child);
    }
    level = below;
  }
}

/** Keys with which a careless copy would change all objects. */
function poisons(container: object): boolean {
  if (Object.hasOwn(container, '__proto__')) return true;
  if (!Object.hasOwn(container, 'constructor')) return false;
  const { constructor } = container as { readonly constructor: unknown };
  return isContainer(constructor) && Object.hasOwn(constructor, 'prototype');
}

function tooDeep(levels: number): AppError {
  return new AppError('INVALID_PARAMETER', `The JSON is nested more than ${levels} levels deep`);
}

function tooManyValues(values: number): AppError {
  return new AppError('INVALID_PARAMETER', `The JSON holds more than ${values} values`);
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
