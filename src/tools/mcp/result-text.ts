import { isPlainObject } from '../../common/index.js';
import type { CallResult } from './wire-schemas.js';

/** Deeper values of a structured result are not compared with its text. */
const COMPARED_DEPTH = 16;

/**
 * A result as text for the model: its texts, joined by line breaks; a structured result as JSON, unless
 * the texts say the same; everything that is no text (images, audio, files) described in brackets.
 */
export function resultText({ content, structuredContent }: CallResult): string {
  const pieces = content.map(pieceText).filter((piece) => piece !== '');
  const text = pieces.join('\n');
  if (structuredContent === undefined || structuredContent === null) return text;
  if (pieces.length > 0 && isSaid(structuredContent, text, COMPARED_DEPTH)) return text;
  return [...pieces, JSON.stringify(structuredContent)].join('\n');
}

function pieceText(piece: unknown): string {
  if (!isPlainObject(piece)) return '';
  const { type, text, mimeType, data } = piece;
  switch (type) {
    case 'text':
      return word(text);
    case 'image':
    case 'audio':
      return `[${type}${named(mimeType)}, ${bytesOf(data)} bytes, not shown]`;
    case 'resource':
      return resourceText(piece['resource']);
    case 'resource_link':
      return linkText(piece);
    default:
      return `[content of the unknown type ${JSON.stringify(word(type).slice(0, 40))}]`;
  }
}

function resourceText(resource: unknown): string {
  if (!isPlainObject(resource)) return '[resource]';
  const { uri, mimeType, text, blob } = resource;
  const head = `resource ${word(uri)}${named(mimeType)}`;
  return typeof text === 'string' ? `[${head}]\n${text}` : `[${head}, ${bytesOf(blob)} bytes, not shown]`;
}

function linkText({ uri, name, mimeType, description }: Readonly<Record<string, unknown>>): string {
  const about = word(description) === '' ? '' : `: ${word(description)}`;
  return `[resource link ${word(uri)} ${JSON.stringify(word(name))}${named(mimeType)}${about}]`;
}

/** Whether every value of a structured result stands in the text already. */
function isSaid(value: unknown, text: string, depth: number): boolean {
  if (depth === 0) return false;
  if (typeof value === 'string') return text.includes(value) || text.includes(JSON.stringify(value).slice(1, -1));
  if (typeof value !== 'object' || value === null) return text.includes(String(value));
  return Object.values(value).every((item) => isSaid(item, text, depth - 1));
}

function bytesOf(base64: unknown): number {
  return typeof base64 === 'string' ? Buffer.byteLength(base64, 'base64') : 0;
}

function named(mimeType: unknown): string {
  return typeof mimeType === 'string' ? ` ${mimeType}` : '';
}

function word(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
