import { isPlainObject } from '../../../common/index.js';
import type { ModelEvent } from '../../ports/model-client.js';

type Fields = Readonly<Record<string, unknown>>;
type CitationEvent = Extract<ModelEvent, { type: 'citation' }>;

/** The types of content parts that are images. */
const IMAGE_PARTS: ReadonlySet<unknown> = new Set(['image_url', 'image', 'output_image']);
const WEB_OR_DATA = /^(https?:\/\/|data:image\/)/i;

/** True for a content part that is an image. */
export function isImagePart({ type }: Fields): boolean {
  return IMAGE_PARTS.has(type);
}

/**
 * The address of an image as servers write it: `{image_url: {url}}`, `{image_url: "…"}`, `{url}` or `{b64_json}`;
 * undefined for anything else.
 */
export function imageUrlOf(part: unknown): string | undefined {
  if (!isPlainObject(part)) return undefined;
  const { image_url: image, url, b64_json: base64 } = part;
  if (typeof base64 === 'string' && base64 !== '') return `data:image/png;base64,${base64}`;
  const address = isPlainObject(image) ? image['url'] : (image ?? url);
  return typeof address === 'string' && WEB_OR_DATA.test(address) ? address : undefined;
}

/**
 * The sources that a piece of an answer names: `annotations` with the type `url_citation`, whose members are in the
 * annotation or in a member of it.
 */
export function annotatedSources(annotations: unknown): readonly CitationEvent[] {
  if (!Array.isArray(annotations)) return [];
  return annotations.flatMap((one: unknown) => {
    if (!isPlainObject(one) || one['type'] !== 'url_citation') return [];
    const inner = one['url_citation'];
    return citationOf(isPlainObject(inner) ? inner : one);
  });
}

/**
 * The sources in the members of a chunk: `citations`, a list of addresses or of objects, with the titles of
 * `search_results`, or those alone. Perplexity repeats them in each chunk.
 */
export function listedSources({ citations, search_results: results }: Fields): readonly CitationEvent[] {
  const found = listOf(results).flatMap(citationOf);
  if (!Array.isArray(citations) || citations.length === 0) return found;
  return listOf(citations).flatMap((one) => {
    if (typeof one !== 'string') return citationOf(one);
    return found.find(({ url }) => url === one) ?? citationOf({ url: one });
  });
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function citationOf(value: unknown): CitationEvent[] {
  if (!isPlainObject(value)) return [];
  const { url, title, start_index: start, end_index: end } = value;
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url)) return [];
  return [
    {
      type: 'citation',
      url,
      ...(typeof title === 'string' && title !== '' && { title }),
      ...(isIndex(start) && isIndex(end) && start <= end && { startIndex: start, endIndex: end }),
    },
  ];
}

function isIndex(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
