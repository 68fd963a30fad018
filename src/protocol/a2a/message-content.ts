import { isPlainObject, type JsonObject, matchesGlob, typeOfAddress, typeOfName } from '../../common/index.js';
import type { ContentInput } from '../../events/index.js';
import { fieldError } from '../http/bodies/field-reader.js';
import type { KeptPart } from './a2a-data.js';
import { A2aError } from './a2a.errors.js';
import type { Part } from './a2a.types.js';

/** A file of a message that is to be stored as an upload. */
export interface ImageFile {
  readonly path: string;
  readonly bytes: Buffer;
  readonly filename: string;
  /** Undefined: by its bytes. */
  readonly declaredType: string | undefined;
}

/** Stores an image of the owner of a message and returns the reference to it. */
export type StoreImage = (file: ImageFile) => Promise<string>;

/** Parts that are checked, and what they become. Nothing is stored before `contents` is called. */
export interface CheckedParts {
  readonly kept: readonly KeptPart[];
  contents(store: StoreImage): Promise<readonly ContentInput[]>;
}

/** The first bytes of images that models take, in base64. */
const IMAGE_STARTS = /^(iVBORw0KGgo|\/9j\/|R0lGOD|UklGR)/;

/**
 * The parts of a message as contents for the agent (contract a2a, section 14).
 *
 * @param inputModes the media types of files that the agent takes
 * @throws A2aError CONTENT_TYPE_NOT_SUPPORTED
 */
export function checkedParts(parts: readonly Part[], inputModes: readonly string[]): CheckedParts {
  const made: ((store: StoreImage) => ContentInput | Promise<ContentInput>)[] = [];
  const kept = parts.map((part, index): KeptPart => {
    const make = contentMaker(part, `message.parts[${index}]`, inputModes);
    // What the session cannot keep as it is, stays with the run.
    if (!make) return { part: { ...part } };
    made.push(make);
    const about = aboutOf(part);
    return { content: made.length - 1, ...(about && { about }) };
  });
  return {
    kept,
    contents: async (store) => {
      const contents: ContentInput[] = [];
      for (const make of made) contents.push(await make(store));
      return contents;
    },
  };
}

function contentMaker(
  part: Part,
  path: string,
  inputModes: readonly string[],
): ((store: StoreImage) => ContentInput | Promise<ContentInput>) | undefined {
  if ('text' in part) return part.text === '' ? undefined : () => ({ type: 'text', text: part.text });
  if ('data' in part) {
    const { data } = part;
    return () => ({ type: 'data', data: isPlainObject(data) ? data : { value: data } });
  }
  const type = mediaTypeOf(part);
  const filename = part.filename ?? null;
  if ('url' in part) {
    const { url } = part;
    if (type.startsWith('image/')) return () => ({ type: 'image', image_url: url });
    return () => ({ type: 'file', file_url: url, filename, file_id: null, file_data: null });
  }
  const { raw } = part;
  if (type.startsWith('image/')) {
    return async (store) => {
      const bytes = Buffer.from(raw, 'base64');
      if (bytes.length === 0) throw fieldError(`${path}.raw`, 'must not be empty', 'INVALID_PARAMETER');
      const file = { path, bytes, filename: part.filename ?? 'image', declaredType: part.mediaType };
      return { type: 'image', image_url: await store(file) };
    };
  }
  if (!inputModes.some((mode) => matchesMode(mode, type))) {
    throw new A2aError(
      'CONTENT_TYPE_NOT_SUPPORTED',
      `${path} has the media type ${type}, which the agent does not take`,
      {
        mediaType: type,
      },
    );
  }
  return () => ({ type: 'file', file_data: `data:${type};base64,${raw}`, filename, file_url: null, file_id: null });
}

/** `*` and `*` on either side of the slash stand for any type. */
function matchesMode(mode: string, type: string): boolean {
  return matchesGlob(mode.toLowerCase(), type, { question: false });
}

function mediaTypeOf(part: Part & ({ readonly raw: string } | { readonly url: string })): string {
  if (part.mediaType !== undefined) return part.mediaType.split(';', 1)[0]?.trim() ?? '';
  if ('raw' in part && IMAGE_STARTS.test(part.raw)) return 'image/*';
  const named = typeOfName(part.filename ?? '') ?? ('url' in part ? typeOfAddress(part.url) : undefined);
  return named ?? 'application/octet-stream';
}

function aboutOf({ mediaType, filename, metadata }: Part): JsonObject | undefined {
  const about: JsonObject = {};
  if (mediaType !== undefined) about['mediaType'] = mediaType;
  if (filename !== undefined) about['filename'] = filename;
  if (metadata) about['metadata'] = metadata;
  return Object.keys(about).length > 0 ? about : undefined;
}
