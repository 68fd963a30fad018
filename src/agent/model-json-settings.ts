import { isPlainObject, type JsonObject } from '../common/index.js';
import { type ConfigurationProblem, readJsonText } from '../config/index.js';

/** The value of a setting in JSON, or what is wrong with it. */
export interface JsonSetting<T> {
  /** Undefined if the setting is absent or cannot be used. */
  readonly value: T | undefined;
  readonly problems: readonly ConfigurationProblem[];
}

/** A name of a header. */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,256}$/;
/** Printable ASCII and what servers take beyond it; no line breaks. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]{0,8192}$/;
/** Headers that the connection itself sets. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** `LLM_COMPAT`: a JSON object. */
export function readCompat(text: string | undefined): JsonSetting<JsonObject> {
  return readObject('LLM_COMPAT', text, (value) => ({ value: value as JsonObject }));
}

/** `LLM_HEADERS`: a JSON object whose values are texts that headers can have. Problems show no value. */
export function readHeaders(text: string | undefined): JsonSetting<Readonly<Record<string, string>>> {
  return readObject('LLM_HEADERS', text, checkedHeaders);
}

/** `LLM_PROVIDER_OPTIONS`: a JSON object whose values are objects. */
export function readProviderOptions(text: string | undefined): JsonSetting<Readonly<Record<string, JsonObject>>> {
  return readObject('LLM_PROVIDER_OPTIONS', text, checkedProviderOptions);
}

/** A value that can be used, or the end of the sentence "The setting …" about what is wrong with it. */
export type Checked<T> = { readonly value: T } | { readonly problem: string };

/** Texts that headers of these names can have. Problems show no value. */
export function checkedHeaders(value: Record<string, unknown>): Checked<Readonly<Record<string, string>>> {
  for (const [name, content] of Object.entries(value)) {
    if (!HEADER_NAME.test(name)) return { problem: 'must be a JSON object whose names are names of headers' };
    if (OWN_HEADERS.has(name.toLowerCase())) return { problem: `cannot set the header ${name}` };
    if (typeof content !== 'string' || !HEADER_VALUE.test(content)) {
      return { problem: `must have a text of one line for the header ${name}` };
    }
  }
  return { value: value as Record<string, string> };
}

/** An object for each provider. */
export function checkedProviderOptions(value: Record<string, unknown>): Checked<Readonly<Record<string, JsonObject>>> {
  return Object.values(value).every(isPlainObject)
    ? { value: value as Record<string, JsonObject> }
    : { problem: 'must be a JSON object with an object for each provider, such as {"anthropic":{}}' };
}

function readObject<T>(
  name: string,
  text: string | undefined,
  check: (value: Record<string, unknown>) => Checked<T>,
): JsonSetting<T> {
  if (text === undefined) return { value: undefined, problems: [] };
  const reading = readJsonText(text);
  const checked =
    'problem' in reading
      ? reading
      : isPlainObject(reading.value)
        ? check(reading.value)
        : { problem: 'must be a JSON object' };
  return 'problem' in checked
    ? { value: undefined, problems: [{ name, message: checked.problem }] }
    : { value: checked.value, problems: [] };
}
