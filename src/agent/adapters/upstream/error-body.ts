import { isPlainObject, parsedJson } from '../../../common/index.js';

/** What an error of a model server says, in whatever form it came. */
export interface ErrorBody {
  /** The values of the members that are for programs: codes, types, statuses, as text. */
  readonly codes: readonly string[];
  /** The sentences for people. */
  readonly text: string;
  /** The code of MiniMax, which has numbers of its own. */
  readonly miniMaxCode: string | undefined;
  /** Until the request may succeed, in milliseconds; undefined if the error does not say it in a member of its own. */
  readonly waitMs: number | undefined;
}

/** The members that are for programs. */
const CODE_KEYS: ReadonlySet<string> = new Set([
  ...['code', 'type', 'status', 'error_code', 'errorCode', 'err_code', 'error_type', 'reason'],
  ...['http_code', 'status_code', 'quotaId'],
]);
/** The members in which servers repeat the request, the answer so far, or what says nothing about the error. */
const ECHO_KEYS: ReadonlySet<string> = new Set([
  ...['input', 'ctx', 'choices', 'usage', 'url', 'id', 'request_id', 'requestId', 'user_id', 'model', 'headers'],
]);
const MOST_DEPTH = 8;
const MOST_ITEMS = 20;

/**
 * Reads an error: a body as text, or a value that came in a stream. Servers write `{error: {message, type, code}}`,
 * `[{error}]`, the error at the top level, `{error: "…"}`, `{error_code, message}`, `{base_resp}`, `{detail: [{msg}]}`,
 * `{title, detail}`, plain text and HTML; proxies put the body of another server into a text (contract model-servers,
 * section 1.4).
 */
export function readErrorBody(body: unknown): ErrorBody {
  const reader = new ErrorBodyReader();
  reader.read(body, '', 0);
  return {
    codes: reader.codes,
    text: reader.texts.join('\n'),
    miniMaxCode: reader.miniMaxCode,
    waitMs: reader.waitMs,
  };
}

class ErrorBodyReader {
  readonly codes: string[] = [];
  readonly texts: string[] = [];
  miniMaxCode: string | undefined;
  waitMs: number | undefined;

  read(value: unknown, key: string, depth: number): void {
    if (depth > MOST_DEPTH) return;
    if (typeof value === 'string') this.readText(value, key, depth);
    else if (typeof value === 'number') this.readCode(String(value), key);
    else if (Array.isArray(value)) for (const item of value.slice(0, MOST_ITEMS)) this.read(item, key, depth + 1);
    else if (isPlainObject(value)) this.readMembers(value, depth);
  }

  private readMembers(value: Readonly<Record<string, unknown>>, depth: number): void {
    const { retryDelay, base_resp: outcome, headers } = value;
    this.waitMs ??= typeof retryDelay === 'string' ? durationMs(retryDelay) : undefined;
    if (isPlainObject(outcome)) this.miniMaxCode ??= String(outcome['status_code']);
    if (isPlainObject(headers)) this.waitMs ??= resetOf(headers);
    for (const [key, member] of Object.entries(value)) if (!ECHO_KEYS.has(key)) this.read(member, key, depth + 1);
  }

  /** The body of another server may be a part of a text. */
  private readText(text: string, key: string, depth: number): void {
    if (CODE_KEYS.has(key)) {
      this.readCode(text, key);
      return;
    }
    const begin = text.search(/[{[]/);
    const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']')) + 1;
    const inner = begin >= 0 && end > begin ? parsedJson(text.slice(begin, end)) : undefined;
    if (typeof inner !== 'object' || inner === null) this.texts.push(text);
    else {
      this.texts.push(text.slice(0, begin));
      this.read(inner, key, depth + 1);
    }
  }

  private readCode(code: string, key: string): void {
    if (CODE_KEYS.has(key)) this.codes.push(code);
  }
}

const UNITS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/**
 * A duration as servers write it, in milliseconds: `6m0s`, `76ms`, `5.2s`, `1h2m3.5s`, or seconds without a unit.
 * Undefined for other texts.
 */
export function durationMs(text: string): number | undefined {
  const trimmed = text.trim().toLowerCase();
  if (/^\d+(\.\d+)?$/.test(trimmed)) return Number(trimmed) * 1000;
  if (!/^(\d+(\.\d+)?(d|h|ms|m|s))+$/.test(trimmed)) return undefined;
  const parts = trimmed.matchAll(/(\d+(?:\.\d+)?)(d|h|ms|m|s)/g);
  return [...parts].reduce((sum, [, count, unit]) => sum + Number(count) * (UNITS[unit ?? ''] ?? 0), 0);
}

/** Times after 2001 in seconds and in milliseconds. */
const EPOCH_S = 1e9;
const EPOCH_MS = 1e12;

/** Until a limit is reset, in milliseconds: a duration, or a moment in seconds or milliseconds since 1970, or a date. */
export function untilResetMs(text: string): number | undefined {
  const duration = durationMs(text);
  if (duration === undefined) {
    const date = /^\d{4}-\d\d-\d\d/.test(text.trim()) ? Date.parse(text) : Number.NaN;
    return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
  }
  const value = duration / 1000;
  if (!/^[\d.\s]+$/.test(text) || value < EPOCH_S) return duration;
  return Math.max(0, (value >= EPOCH_MS ? value : value * 1000) - Date.now());
}

/** OpenRouter puts the headers of the server behind it into the body. */
function resetOf(headers: Readonly<Record<string, unknown>>): number | undefined {
  const found = Object.entries(headers).find(([name]) => /^(x-ratelimit-reset|retry-after)$/i.test(name))?.[1];
  return typeof found === 'string' || typeof found === 'number' ? untilResetMs(String(found)) : undefined;
}
