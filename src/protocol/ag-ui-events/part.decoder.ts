import type { ContentInput } from '../../events/index.js';
import { type FieldReader, fieldError, fieldReaderAt } from '../http/bodies/field-reader.js';

/** Parts of one message, at most. */
const MAX_PARTS = 1000;
/** The part types that are accepted, as the error of an unknown type lists them. */
const TYPES = ['text', 'image', 'audio', 'video', 'document', 'binary'] as const;

/** Where a part's bytes are, after both forms were read. */
interface Media {
  readonly kind: 'image' | 'audio' | 'video' | 'document';
  /** An address, or a `data:` URL. */
  readonly url: string | undefined;
  /** A provider's handle, which is never fetched. */
  readonly handle: string | undefined;
  /** The MIME type. Required for data, optional for an address. */
  readonly mimeType: string | undefined;
  /** The name that the client gave the file. */
  readonly filename: string | undefined;
}

/**
 * Decodes the parts of a message (contract ag-ui, section 1.2), the legacy `binary` form included: it
 * becomes the modern form by its MIME type. Addresses are kept, never fetched.
 *
 * @throws AppError naming the path of the first wrong field
 */
export function decodeParts(items: readonly unknown[], path: string): readonly ContentInput[] {
  if (items.length > MAX_PARTS) throw fieldError(path, `must have at most ${MAX_PARTS} items`, 'INVALID_PARAMETER');
  return items.map((item, index) => decodePart(fieldReaderAt(item, `${path}[${index}]`)));
}

/** Parts as one text, for where only text is allowed; of media other than images there is a note. */
export function partsText(parts: readonly ContentInput[]): string {
  return parts.flatMap((part) => (part.type === 'image' ? [] : [partText(part)])).join('\n');
}

function partText(part: ContentInput): string {
  if (part.type === 'text') return part.text ?? '';
  const name = part.type === 'file' ? (part.filename ?? part.file_id) : undefined;
  return `[${part.type}${name ? ` ${name}` : ''}, not shown]`;
}

/** @throws AppError MISSING_PARAMETER, INVALID_PARAMETER naming the field of the part */
function decodePart(fields: FieldReader): ContentInput {
  const type = fields.required('type');
  switch (type) {
    case 'text': {
      const text = fields.required('text');
      return { type: 'text', text };
    }
    case 'image':
    case 'audio':
    case 'video':
    case 'document':
      return contentOf(modern(fields, type));
    case 'binary':
      return contentOf(legacy(fields));
    default:
      throw fieldError(fields.at('type'), `must be one of ${TYPES.join(', ')}`, 'INVALID_PARAMETER');
  }
}

/**
 *
 * A part of AG-UI 1.0, `{type, source: {type, value, mimeType?}}`.
 *
 * @throws AppError MISSING_PARAMETER, INVALID_PARAMETER for a source that is incomplete
 */
function modern(fields: FieldReader, kind: Media['kind']): Media {
  const source = fieldReaderAt(fields.source['source'] ?? {}, fields.at('source'));
  const type = source.string('type');
  const value = source.string('value');
  const mimeType = source.string('mimeType');
  if (type !== 'data' && type !== 'url' && type !== 'file') {
    throw fieldError(source.at('type'), 'must be data, url or file', 'INVALID_PARAMETER');
  }
  if (value === undefined) throw fieldError(source.at('value'), 'is required', 'MISSING_PARAMETER');
  if (type === 'data' && mimeType === undefined) {
    throw fieldError(source.at('mimeType'), 'is required', 'MISSING_PARAMETER');
  }
  return {
    kind,
    url: type === 'file' ? undefined : type === 'url' ? value : dataUrl(mimeType, value),
    handle: type === 'file' ? value : undefined,
    mimeType,
    filename: filenameOf(fields),
  };
}

/**
 *
 * A part of AG-UI before 1.0, `{type: 'binary', mimeType, url?
 * data?
 * id?}`.
 *
 * @throws AppError MISSING_PARAMETER for a part without a MIME type or without any source
 */
function legacy(fields: FieldReader): Media {
  const mimeType = fields.required('mimeType');
  const [url, data, id] = [fields.string('url'), fields.string('data'), fields.string('id')];
  if (url === undefined && data === undefined && id === undefined) {
    throw fieldError(fields.at('url'), 'is required', 'MISSING_PARAMETER');
  }
  const kind = /^(image|audio|video)\//.exec(mimeType)?.[1] as Media['kind'] | undefined;
  return {
    kind: kind ?? 'document',
    url: url ?? (data === undefined ? undefined : dataUrl(mimeType, data)),
    handle: id,
    mimeType,
    filename: fields.string('filename'),
  };
}

/** AG-UI 1.0 has no field for the file name: clients send it in the part's metadata. */
function filenameOf(fields: FieldReader): string | undefined {
  const filename = fields.object('metadata')?.['filename'];
  return typeof filename === 'string' ? filename : undefined;
}

/** Some clients send a whole `data:` URL as the value; it is kept as it is. */
function dataUrl(mimeType: string | undefined, value: string): string {
  return value.startsWith('data:') ? value : `data:${mimeType};base64,${value}`;
}

/** A medium without an address is a file with only a name. */
function contentOf({ kind, url, handle, mimeType, filename }: Media): ContentInput {
  if (url === undefined) return { type: 'file', file_id: handle ?? null, filename: filename ?? null };
  if (kind === 'image') return { type: 'image', image_url: url };
  if (kind === 'video') return { type: 'video', video_url: url };
  const bytes = kind === 'audio' ? /^data:[^,]*;base64,(.*)$/s.exec(url)?.[1] : undefined;
  if (bytes !== undefined) return { type: 'audio', data: bytes, format: mimeType?.split('/')[1] ?? null };
  return { type: 'file', file_url: url, filename: filename ?? null };
}
