import { isPlainObject } from '../../../common/index.js';
import type { ContentInput } from '../../../events/index.js';
import { type FieldReader, fieldError, fieldReaderAt, kindOf } from '../../http/field-reader.js';

/** Parts that one message may have. */
const MAX_PARTS = 1000;

type Decoder = (fields: FieldReader) => ContentInput;

const textOf: Decoder = (fields) => ({ type: 'text', text: requiredText(fields, 'text') });

const DECODERS: Readonly<Record<string, Decoder>> = {
  input_text: textOf,
  output_text: textOf,
  summary_text: textOf,
  reasoning_text: textOf,
  text: textOf,
  refusal: (fields) => ({ type: 'refusal', refusal: requiredText(fields, 'refusal') }),
  input_image: imageOf,
  input_file: fileOf,
  input_audio: audioOf,
  input_video: (fields) => ({ type: 'video', video_url: requiredText(fields, 'video_url') }),
};

/**
 * Decodes the contents of a message: a text, or a list of parts (contract responses, section A2).
 *
 * @throws AppError naming the path of the first wrong field, such as `input[0].content[1].text`
 */
export function decodeParts(message: FieldReader, name: string): readonly ContentInput[] {
  const value = message.source[name];
  const path = message.at(name);
  if (value === undefined || value === null) throw fieldError(path, 'is required', 'MISSING_PARAMETER');
  if (typeof value === 'string') return [{ type: 'text', text: value }];
  if (!Array.isArray(value)) throw fieldError(path, `must be a string or a list of parts, not ${kindOf(value)}`);
  const parts = message.list(name, MAX_PARTS) ?? [];
  return parts.map((part, index) => decodePart(part, `${path}[${index}]`));
}

function decodePart(value: unknown, path: string): ContentInput {
  const fields = fieldReaderAt(value, path);
  const type = fields.string('type');
  if (type === undefined) throw fieldError(fields.at('type'), 'is required', 'MISSING_PARAMETER');
  const decode = Object.hasOwn(DECODERS, type) ? DECODERS[type] : undefined;
  if (decode) return decode(fields);
  throw fieldError(fields.at('type'), `must be one of ${Object.keys(DECODERS).join(', ')}`, 'INVALID_PARAMETER');
}

/** An image by address, or by the id of a file, which this server can only name. */
function imageOf(fields: FieldReader): ContentInput {
  // The Chat Completions form `{image_url: {url}}` is a common slip.
  const nested = fields.source['image_url'];
  const url = isPlainObject(nested)
    ? fieldReaderAt(nested, fields.at('image_url')).string('url')
    : fields.string('image_url');
  if (url !== undefined) return { type: 'image', image_url: url };
  const id = fields.string('file_id');
  if (id === undefined) throw fieldError(fields.at('image_url'), 'is required', 'MISSING_PARAMETER');
  return { type: 'file', file_url: null, file_id: id, filename: null, file_data: null };
}

function fileOf(fields: FieldReader): ContentInput {
  const [url, id, data] = [fields.string('file_url'), fields.string('file_id'), fields.string('file_data')];
  if (url === undefined && id === undefined && data === undefined) {
    throw fieldError(fields.at('file_url'), 'is required, or file_id, or file_data', 'MISSING_PARAMETER');
  }
  const filename = fields.string('filename') ?? null;
  return { type: 'file', file_url: url ?? null, file_id: id ?? null, filename, file_data: data ?? null };
}

function audioOf(fields: FieldReader): ContentInput {
  const audio = fields.object('input_audio');
  if (!audio) throw fieldError(fields.at('input_audio'), 'is required', 'MISSING_PARAMETER');
  const inner = fieldReaderAt(audio, fields.at('input_audio'));
  return { type: 'audio', data: requiredText(inner, 'data'), format: inner.string('format') ?? 'wav' };
}

function requiredText(fields: FieldReader, name: string): string {
  const value = fields.string(name);
  if (value === undefined) throw fieldError(fields.at(name), 'is required', 'MISSING_PARAMETER');
  return value;
}
