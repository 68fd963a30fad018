import { canonicalJson, type ExactJson, exactJsonText, isPlainObject, parseExactJson } from '../../common/index.js';
import { exactValue } from './exact-wire.js';
import type { CallResult } from './wire-schemas.js';

/**
 * A result as text for the model: its texts, joined by line breaks; a structured result as JSON, unless the texts say
 * the same; the text of resources; links and other content (images, audio, files) as a description in brackets.
 */
export function resultText({ content, structuredContent }: CallResult): string {
  const pieces = content.map(pieceText).filter((piece) => piece !== '');
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
