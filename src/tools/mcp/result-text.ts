import { isPlainObject } from '../../common/index.js';
import type { CallResult } from './wire-schemas.js';

/** Deeper values of a structured result are not searched for in its text. */
const COMPARED_DEPTH = 16;

/**
 * A result as text for the model: its texts, joined by line breaks; a structured result as JSON, unless its
 * values are all in the texts; other content (images, audio, files) as a description in brackets.
 */
export function resultText({ content, structuredContent }: CallResult): string {
  const pieces = content.map(pieceText).filter((piece) => piece !== '');
  const text = pieces.join('\n');
  if (structuredContent === undefined || structuredContent === null) return text;
  if (pieces.length > 0 && containsAll(structuredContent, text, COMPARED_DEPTH)) return text;
  return [...pieces, JSON.stringify(structuredContent)].join('\n');
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
