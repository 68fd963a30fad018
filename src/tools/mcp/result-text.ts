import { isPlainObject } from '../../common/index.js';
import type { CallResult } from './wire-schemas.js';

/** Deeper values of a structured result are not searched for in its text. */
const COMPARED_DEPTH = 16;

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

/**
 * A result as text for the model: its texts, joined by line breaks; a structured result as JSON, unless its
 * values are all in the texts; other content (audio, files, images that are not shown) as a description in brackets.
 */
export function resultText({ content, structuredContent }: CallResult): string {
  const shown = shownImages(content);
  const pieces = content.flatMap((piece, index) => (shown.has(index) ? [] : [pieceText(piece)])).filter(Boolean);
  const text = pieces.join('\n');
  if (structuredContent === undefined || structuredContent === null) return text;
  if (pieces.length > 0 && containsAll(structuredContent, text, COMPARED_DEPTH)) return text;
  return [...pieces, JSON.stringify(structuredContent)].join('\n');
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

/** Whether the text contains every value of a structured result. */
function containsAll(value: unknown, text: string, depth: number): boolean {
  if (depth === 0) return false;
  if (typeof value === 'string') return text.includes(value) || text.includes(JSON.stringify(value).slice(1, -1));
  if (typeof value !== 'object' || value === null) return text.includes(String(value));
  return Object.values(value).every((item) => containsAll(item, text, depth - 1));
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
