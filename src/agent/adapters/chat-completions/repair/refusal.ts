import { isPlainObject, parsedJson } from '../../../../common/index.js';
import { type FailureKind, kindOf } from '../../upstream/failure-kind.js';
import { UpstreamStatusError, UpstreamStreamError } from '../../upstream/upstream-error.js';

/** A request that a server did not take, in the words that it gave for it (contract model-servers, section 1.4). */
export interface Refusal {
  /** The HTTP status, or that of an error in the place of the first event; undefined if it has none. */
  readonly status: number | undefined;
  /** All texts of the body, also those of a body within it, in their case and in snake_case. */
  readonly text: string;
  /** What the body says that it is about: `param`, and paths such as `body.tools.0.function.name`. */
  readonly subjects: readonly string[];
  /** What the server says, in one line. */
  readonly sentence: string;
}

/** Bodies within bodies are read to this depth. */
const DEEPEST = 8;
const SENTENCE_KEYS: ReadonlySet<string> = new Set([
  'message',
  'msg',
  'detail',
  'error',
  'title',
  'error_msg',
  'status_msg',
  'reason',
  'raw',
  'errors',
  'base_resp',
  'metadata',
]);
/** A sentence about a model that is not there, which several servers write with status 404 as for other refusals. */
const UNKNOWN_MODEL =
  /model_not_found|(the|this)? ?model\b[^.]{0,80}\b(not found|not exist|no access)|unknown model|no such model|invalid model\b|not a valid model|deploymentnotfound/i;
/** The kinds of failures that a refusal can be; an unknown model is recognized by its sentence. */
const REFUSING: ReadonlySet<FailureKind> = new Set(['other', 'template', 'not-found', 'no-route']);
/** Words of types of errors, which say nothing about a member. */
const TYPES =
  /invalid_request_error|invalid_request|invalidparameter|badrequesterror|invalid_argument|unsupported_value/gi;

/**
 * The refusal that an error is; undefined for every other failure: a key, a quota, an unknown model, a filter or a
 * conversation that is too long is none.
 */
export function refusalIn(error: unknown): Refusal | undefined {
  if (!(error instanceof UpstreamStatusError || error instanceof UpstreamStreamError)) return undefined;
  const { status } = error;
  const isRefusal = status === undefined || status === 400 || status === 404 || status === 422 || status === 500;
  if (!isRefusal || !REFUSING.has(kindOf(error))) return undefined;
  const body = bodyOf(error);
  return body === '' || UNKNOWN_MODEL.test(body) ? undefined : readRefusal(status, body);
}

/** Empty for an answer that failed in another way than by an error of the server. */
function bodyOf(error: UpstreamStatusError | UpstreamStreamError): string {
  if (error instanceof UpstreamStatusError) return error.body;
  const { cause } = error;
  if (cause instanceof Error) return '';
  return typeof cause === 'string' ? cause : (JSON.stringify(cause) ?? '');
}

/** Reads a body: JSON, JSON within texts, the text of a Python object, or plain text. */
export function readRefusal(status: number | undefined, body: string): Refusal {
  const found: Found = { texts: [], subjects: [], sentences: [] };
  const value = parsedJson(body);
  if (value === undefined) readText(body, 'message', found, 0);
  else readValue(value, 'message', found, 0);
  const text = found.texts.join('\n').replace(TYPES, '');
  const sentence = (found.sentences.at(-1) ?? body).replace(/\s+/g, ' ').trim();
  return { status, text: `${text}\n${snakeCase(text)}`, subjects: found.subjects.map(snakeCase), sentence };
}

interface Found {
  readonly texts: string[];
  readonly subjects: string[];
  readonly sentences: string[];
}

function readValue(value: unknown, key: string, found: Found, depth: number): void {
  if (depth > DEEPEST) return;
  if (typeof value === 'string') readText(value, key, found, depth);
  else if (Array.isArray(value)) for (const one of value as unknown[]) readValue(one, key, found, depth + 1);
  else if (isPlainObject(value)) readObject(value, found, depth);
  else if (typeof value === 'number') found.texts.push(`"${key}": ${value}`);
}

function readObject(value: Readonly<Record<string, unknown>>, found: Found, depth: number): void {
  const { param, loc, msg } = value;
  if (typeof param === 'string' && param !== '') found.subjects.push(param);
  if (Array.isArray(loc)) {
    const path = loc.join('.');
    found.subjects.push(path);
    found.texts.push(path);
    if (typeof msg === 'string') found.sentences.push(`${path}: ${msg}`);
  }
  for (const [key, member] of Object.entries(value)) {
    // Pydantic repeats what was sent.
    if (key === 'input' || key === 'ctx' || key === 'loc' || (key === 'msg' && Array.isArray(loc))) {
      if (key === 'msg') found.texts.push(String(member));
      continue;
    }
    readValue(member, key, found, depth + 1);
  }
}

function readText(text: string, key: string, found: Found, depth: number): void {
  const begin = text.search(/\{|\[\s*\{/);
  const end = begin < 0 ? -1 : text.lastIndexOf(text[begin] === '{' ? '}' : ']') + 1;
  const inner = begin < 0 ? undefined : parsedJson(text.slice(begin, end));
  if (typeof inner === 'object' && inner !== null) {
    if (begin > 0) found.texts.push(text.slice(0, begin));
    if (end < text.length) found.texts.push(text.slice(end));
    readValue(inner, key, found, depth + 1);
    return;
  }
  found.texts.push(key === 'code' ? `"code": "${text}"` : text);
  for (const [, path = ''] of text.matchAll(/'loc':\s*[([]([^)\]]*)[)\]]/g)) {
    found.subjects.push(path.replace(/['"\s]/g, '').replaceAll(',', '.'));
  }
  if (SENTENCE_KEYS.has(key)) found.sentences.push(text.replace(/,?\s*'input':[\s\S]*$/, ''));
}

function snakeCase(text: string): string {
  return text.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
}
