import {
  canonicalJson,
  type ExactJson,
  exactJsonText,
  isPlainObject,
  type JsonObject,
  parseExactJson,
} from '../../../../common/index.js';
import type { ToolContents } from '../../tool.js';
import { exactValue, plainValue } from './exact-wire.js';
import type { CallResult } from './wire-schemas.js';

/** Formats of images that models take. */
const IMAGE_TYPES: readonly unknown[] = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];
/** The images of a result that are shown: at most so many, and so many characters of base64 together. */
const MOST_IMAGES = 16;
const IMAGES_LENGTH = 4 * 1024 * 1024;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** The images of a result as `data:` URLs, in order, as far as they fit together. */
export function resultImages({ content }: CallResult): readonly string[] {
  return [...shownImages(content).values()];
}

/** The blocks of a result and its structured content, for clients that get them as they are; undefined if text is all. */
export function resultContents({ content, structuredContent }: CallResult): ToolContents | undefined {
  const blocks = content.filter((piece) => isPlainObject(piece));
  const isText = blocks.every(({ type, annotations }) => type === 'text' && annotations === undefined);
  if (isText && blocks.length <= 1 && !isPlainObject(structuredContent)) return undefined;
  const value = isPlainObject(structuredContent) ? (plainValue(structuredContent) as JsonObject) : undefined;
  return {
    content: blocks.map((piece) => plainValue(piece) as JsonObject),
    ...(value && { structuredContent: value }),
  };
}

/**
 * A result as text for the model: its texts, joined by line breaks; a structured result as JSON, unless the texts say
 * the same; the text of resources; links and other content (audio, files, images that are not shown) as a description in
 * brackets.
 */
export function resultText({ content, structuredContent }: CallResult): string {
  const shown = shownImages(content);
  const pieces = content.flatMap((piece, index) => (shown.has(index) ? [] : [pieceText(piece)])).filter(Boolean);
  if (structuredContent === undefined || structuredContent === null) return pieces.join('\n');
  const structured = exactValue(structuredContent);
  if (saysTheSame(pieces, structured)) return pieces.join('\n');
  return [...pieces, exactJsonText(structured) ?? ''].join('\n');
}

/**
 * True if the texts are the structured result: its JSON, or, where an object only wraps a value (`{"result": …}`), the
 * value itself, or one text for each item of a list.
 */
function saysTheSame(pieces: readonly string[], structured: ExactJson): boolean {
  if (isText(pieces, structured)) return true;
  const [wrapped, ...others] = isPlainObject(structured) ? Object.values<ExactJson>(structured) : [];
  if (wrapped === undefined || others.length > 0) return false;
  if (isText(pieces, wrapped)) return true;
  if (!Array.isArray(wrapped) || wrapped.length !== pieces.length) return false;
  return wrapped.every((item, at) => isText(pieces.slice(at, at + 1), item));
}

function isText(pieces: readonly string[], value: ExactJson): boolean {
  const text = pieces.join('\n');
  if (text === value) return true;
  const first = text.trimStart();
  if (pieces.length === 0 || (typeof value === 'object' && !first.startsWith('{') && !first.startsWith('[')))
    return false;
  try {
    return canonicalJson(parseExactJson(text)) === canonicalJson(value);
  } catch {
    return false;
  }
}

/** By their places in the content. */
function shownImages(content: readonly unknown[]): ReadonlyMap<number, string> {
  const shown = new Map<number, string>();
  let length = 0;
  for (const [index, piece] of content.entries()) {
    if (!isPlainObject(piece) || piece['type'] !== 'image') continue;
    const { mimeType, data } = piece;
    if (!IMAGE_TYPES.includes(mimeType) || typeof data !== 'string' || !BASE64.test(data)) continue;
    if (shown.size === MOST_IMAGES || length + data.length > IMAGES_LENGTH) continue;
    length += data.length;
    shown.set(index, `data:${String(mimeType)};base64,${data}`);
  }
  return shown;
}

function pieceText(piece: unknown): string {
  if (!isPlainObject(piece)) return '';
  const { type, text, mimeType, data } = piece;
  switch (type) {
    case 'text':
      return textOf(text);
    case 'image':
    case 'audio':
      return `[${type}${typeSuffix(mimeType)}, ${bytesOf(data)} bytes, not shown]`;
    case 'resource':
      return resourceText(piece['resource']);
    case 'resource_link':
      return linkText(piece);
    default:
      return `[content of the unknown type ${JSON.stringify(textOf(type).slice(0, 40))}]`;
  }
}

function resourceText(resource: unknown): string {
  if (!isPlainObject(resource)) return '[resource]';
  const { uri, mimeType, text, blob } = resource;
  const head = `resource ${textOf(uri)}${typeSuffix(mimeType)}`;
  return typeof text === 'string' ? `[${head}]\n${text}` : `[${head}, ${bytesOf(blob)} bytes, not shown]`;
}

function linkText({ uri, name, mimeType, description }: Readonly<Record<string, unknown>>): string {
  const about = textOf(description) === '' ? '' : `: ${textOf(description)}`;
  return `[resource link ${textOf(uri)} ${JSON.stringify(textOf(name))}${typeSuffix(mimeType)}${about}]`;
}

function bytesOf(base64: unknown): number {
  return typeof base64 === 'string' ? Buffer.byteLength(base64, 'base64') : 0;
}

function typeSuffix(mimeType: unknown): string {
  return typeof mimeType === 'string' ? ` ${mimeType}` : '';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
