import { isPlainObject } from '../../../common/index.js';
import type { ContentInput } from '../../../events/index.js';
import { type FieldReader, fieldError, fieldReaderAt, kindOf } from '../../http/bodies/field-reader.js';

/** The maximum number of parts of one message. */
const MAX_PARTS = 1000;

/** @throws AppError naming the path of the field that is invalid */
type PartDecoder = (fields: FieldReader) => ContentInput;

const textOf: PartDecoder = (fields) => ({ type: 'text', text: fields.required('text') });

const PART_DECODERS: Readonly<Record<string, PartDecoder>> = {
  input_text: textOf,
  output_text: textOf,
  summary_text: textOf,
  reasoning_text: textOf,
  text: textOf,
  refusal: (fields) => ({ type: 'refusal', refusal: fields.required('refusal') }),
  input_image: imageOf,
  input_file: fileOf,
  input_audio: audioOf,
  input_video: (fields) => ({ type: 'video', video_url: fields.required('video_url') }),
};

/**
 * Decodes the contents of a message: a string, or a list of parts (contract responses, section A2).
 *
 * @throws AppError naming the path of the first invalid field, such as `input[0].content[1].text`
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

/** @throws AppError MISSING_PARAMETER without a type, INVALID_PARAMETER for an unknown one */
function decodePart(value: unknown, path: string): ContentInput {
  const fields = fieldReaderAt(value, path);
  const type = fields.required('type');
  const decode = Object.hasOwn(PART_DECODERS, type) ? PART_DECODERS[type] : undefined;
  if (decode) return decode(fields);
  throw fieldError(fields.at('type'), `must be one of ${Object.keys(PART_DECODERS).join(', ')}`, 'INVALID_PARAMETER');
}

/** An image by URL, or by the id of a file, whose content this server does not have. */
function imageOf(fields: FieldReader): ContentInput {
  // Many clients send the form of Chat Completions, `{image_url: {url}}`.
  const nested = fields.source['image_url'];
  const url = isPlainObject(nested)
    ? fieldReaderAt(nested, fields.at('image_url')).string('url')
    : fields.string('image_url');
  if (url !== undefined) return { type: 'image', image_url: url };
  const id = fields.string('file_id');
  if (id === undefined) throw fieldError(fields.at('image_url'), 'is required', 'MISSING_PARAMETER');
  return { type: 'file', file_url: null, file_id: id, filename: null, file_data: null };
}

/** A file is given by URL, by id or inline. @throws AppError MISSING_PARAMETER without any of them */
function fileOf(fields: FieldReader): ContentInput {
  const [url, id, data] = [fields.string('file_url'), fields.string('file_id'), fields.string('file_data')];
  if (url === undefined && id === undefined && data === undefined) {
    throw fieldError(fields.at('file_url'), 'is required, or file_id, or file_data', 'MISSING_PARAMETER');
  }
  const filename = fields.string('filename') ?? null;
  return { type: 'file', file_url: url ?? null, file_id: id ?? null, filename, file_data: data ?? null };
}

/** Base64 audio; the format defaults to `wav`. @throws AppError MISSING_PARAMETER without `input_audio` or its data */
function audioOf(fields: FieldReader): ContentInput {
  const inner = fields.requiredFields('input_audio');
  return { type: 'audio', data: inner.required('data'), format: inner.string('format') ?? 'wav' };
}

/** The output of a tool as the model gets it: its text and its images. */
export interface DecodedOutput {
  readonly output: string;
  readonly images: readonly ContentInput[];
}

/**
 * Decodes the `output` of an item: a string unchanged, or a list of parts as its texts and images. Of files and audio
 * nothing but a note is a text.
 *
 * @throws AppError naming the path of the field that is invalid
 */
export function decodeOutput(fields: FieldReader): DecodedOutput {
  const value = fields.source['output'];
  if (value === undefined || value === null) throw fieldError(fields.at('output'), 'is required', 'MISSING_PARAMETER');
  if (typeof value === 'string') return { output: value, images: [] };
  if (!Array.isArray(value)) throw fieldError(fields.at('output'), `must be a string or a list, not ${kindOf(value)}`);
  const texts: string[] = [];
  const images: ContentInput[] = [];
  value.forEach((part: unknown, index) => {
    const one = fieldReaderAt(part, `${fields.at('output')}[${index}]`);
    const type = one.string('type') ?? '';
    const content = MEDIA.has(type) ? PART_DECODERS[type]?.(one) : undefined;
    if (content?.type === 'image') images.push(content);
    else if (content) texts.push(mediaNote(content));
    else texts.push(one.string('text') ?? JSON.stringify(part));
  });
  return { output: texts.join('\n'), images };
}

/** Parts of an output that are no text. */
const MEDIA: ReadonlySet<string> = new Set(['input_image', 'input_file', 'input_audio', 'input_video']);

function mediaNote(content: ContentInput): string {
  const name = content.type === 'file' ? (content.filename ?? content.file_id ?? content.file_url) : undefined;
  return `[${content.type}${name ? ` ${name}` : ''}, not shown]`;
}
