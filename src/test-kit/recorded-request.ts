import { hash } from 'node:crypto';
import type { ModelMessage, ModelPart, ModelRequest } from '../agent/index.js';
import { type AttachmentReader, isAttachmentReference } from '../agent/attachment/index.js';
import type { Json, JsonObject } from '../common/index.js';

/** Replaces what must not be stored, or differs from run to run. */
export type Redact = (text: string) => string;

/** What most providers' keys look like. */
const KEYS: readonly RegExp[] = [
  /\bsk-[\w-]{8,}/g,
  /\bparley_sk_\w+/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
  /\bBearer [\w.~+/-]{8,}/g,
];
const REDACTED = '[redacted]';
const DATA_URL = /^data:[^,]*;base64,/;

/** Makes the replacement of API keys and of the given texts, also where JSON that is a text has them in escaped form. */
export function redactionOf(texts: readonly (string | RegExp)[]): Redact {
  const words = texts.filter((one): one is string => typeof one === 'string' && one !== '').flatMap(formsOf);
  const patterns = texts.filter((one) => one instanceof RegExp).map(global);
  return (text) => {
    const plain = words.reduce((result, word) => result.replaceAll(word, REDACTED), text);
    return [...patterns, ...KEYS].reduce((result, pattern) => result.replace(pattern, REDACTED), plain);
  };
}

/**
 * What a request is compared by: its messages, tools and options, after redaction. Ids of tool calls become numbers,
 * files and images become hashes of their content, and data that only the provider reads is left out.
 *
 * @param attachments reads the content behind references; without it they are compared by their address
 */
export async function comparableRequest(
  { messages, tools, options }: ModelRequest,
  redact: Redact,
  attachments?: AttachmentReader,
): Promise<JsonObject> {
  const ids = new Map<string, string>();
  const idOf = (id: string): string => {
    const known = ids.get(id) ?? `call_${ids.size + 1}`;
    ids.set(id, known);
    return known;
  };
  const compared = await Promise.all(messages.map((message) => comparableMessage(message, attachments)));
  const numbered = compared.map((message) => withNumberedCalls(message, idOf));
  return redacted({ messages: numbered, tools, options }, redact) as JsonObject;
}

/** A JSON value whose texts are redacted. Members that are undefined are left out. */
export function redacted(value: unknown, redact: Redact): Json {
  return JSON.parse(JSON.stringify(value), (_key, one: Json) => (typeof one === 'string' ? redact(one) : one)) as Json;
}

/** Where two requests differ first, and how much they have in common. */
export interface Difference {
  /** Such as `messages[1].content[0].text`. */
  readonly path: string;
  readonly recorded: Json | undefined;
  readonly now: Json | undefined;
  /** The number of equal values. */
  readonly equal: number;
}

/** Compares two requests. Undefined if they are equal. */
export function differenceOf(recorded: JsonObject, now: JsonObject): Difference | undefined {
  const [before, after] = [leavesOf(recorded), leavesOf(now)];
  const paths = [...new Set([...after.keys(), ...before.keys()])];
  const differing = paths.filter((path) => before.get(path) !== after.get(path));
  const [path] = differing;
  if (path === undefined) return undefined;
  return { path, recorded: before.get(path), now: after.get(path), equal: paths.length - differing.length };
}

/**
 * A text as it is, and as JSON may hold it: the arguments of a tool call are JSON, and a value in them may be JSON again.
 * The most escaped form comes first, because it contains parts of the others.
 */
function formsOf(text: string): readonly string[] {
  const ascii = asciiOf(escaped(text));
  const upper = ascii.replace(/\\u[0-9a-f]{4}/g, (code) => `\\u${code.slice(2).toUpperCase()}`);
  const once = [escaped(text), ascii, upper, escaped(text).replaceAll('/', '\\/')];
  return [...new Set([...once.map(escaped), ...once, text])];
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Some libraries escape everything that is not ASCII. */
function asciiOf(text: string): string {
  return text.replace(/[\u0080-\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function global(pattern: RegExp): RegExp {
  return new RegExp(pattern.source, pattern.global ? pattern.flags : `${pattern.flags}g`);
}

async function comparableMessage(message: ModelMessage, attachments?: AttachmentReader): Promise<ModelMessage> {
  if (message.role === 'assistant') {
    const { replay: _, ...rest } = message;
    return rest;
  }
  if (message.role !== 'user') return message;
  return { ...message, content: await Promise.all(message.content.map((part) => comparablePart(part, attachments))) };
}

async function comparablePart(part: ModelPart, attachments?: AttachmentReader): Promise<ModelPart> {
  switch (part.type) {
    case 'text':
      return part;
    case 'audio':
      return { ...part, data: hashOf(Buffer.from(part.data, 'base64')) };
    case 'image':
      return { ...part, url: await hashedUrl(part.url, attachments) };
    case 'file': {
      const data = part.data === null ? null : hashOf(Buffer.from(part.data, 'base64'));
      return { ...part, data, url: part.url === null ? null : await hashedUrl(part.url, attachments) };
    }
  }
}

async function hashedUrl(url: string, attachments?: AttachmentReader): Promise<string> {
  if (DATA_URL.test(url)) return hashOf(Buffer.from(url.replace(DATA_URL, ''), 'base64'));
  const content = isAttachmentReference(url) ? await attachments?.read(url) : undefined;
  return content ? hashOf(content.bytes) : url;
}

function hashOf(bytes: Buffer): string {
  return `sha256:${hash('sha256', bytes, 'hex')}`;
}

/** Providers choose new ids in each answer. */
function withNumberedCalls(message: ModelMessage, idOf: (id: string) => string): ModelMessage {
  if (message.role === 'tool') return { ...message, callId: idOf(message.callId) };
  if (message.role !== 'assistant') return message;
  return { ...message, toolCalls: message.toolCalls.map((call) => ({ ...call, id: idOf(call.id) })) };
}

/** The texts, numbers and truth values of a JSON value by their paths; empty lists and objects too. */
function leavesOf(value: Json, path = '', leaves = new Map<string, Json>()): Map<string, Json> {
  if (typeof value !== 'object' || value === null) return leaves.set(path, value);
  const isList = Array.isArray(value);
  const entries = Object.entries(value as JsonObject);
  if (entries.length === 0) leaves.set(path, isList ? '[]' : '{}');
  for (const [key, child] of entries) {
    leavesOf(child, isList ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`, leaves);
  }
  return leaves;
}
