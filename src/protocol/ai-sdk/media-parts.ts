import { isPlainObject, type Json, typeOfAddress, typeOfAudio, typeOfName } from '../../common/index.js';
import { citationsOf, type Content, type Message } from '../../events/index.js';
import type { Chunk } from './chunk.types.js';

/** The longest `data:` address that is part of a stream, in characters. */
const MAX_DATA_URL = 64 * 1024;

/** A medium as clients get it. */
export interface Medium {
  readonly url: string;
  readonly mediaType: string;
  readonly filename?: string;
}

/** The address and media type of an image, audio, video or file; undefined for other contents, and without an address. */
export function mediumOf(content: Content): Medium | undefined {
  switch (content.type) {
    case 'image':
      return medium(content.image_url, 'image/*');
    case 'video':
      return medium(content.video_url, 'video/*');
    case 'audio': {
      const { data, format } = content;
      const type = typeOfAudio(format);
      return medium(data === null || data.startsWith('data:') ? data : `data:${type};base64,${data}`, type);
    }
    case 'file': {
      const { file_url, file_data, filename } = content;
      const type = typeOfName(filename ?? '') ?? 'application/octet-stream';
      const url =
        file_url ??
        (file_data === null || file_data.startsWith('data:') ? file_data : `data:${type};base64,${file_data}`);
      const found = medium(url, type);
      return found && filename !== null ? { ...found, filename } : found;
    }
    default:
      return undefined;
  }
}

/** The chunks of a medium. Of a long `data:` address, only the size is shown. @param id of the part */
export function fileChunks(id: string, content: Content): Chunk[] {
  const found = mediumOf(content);
  if (!found) return [];
  const { url, mediaType } = found;
  if (url.length <= MAX_DATA_URL || !url.startsWith('data:')) return [{ type: 'file', url, mediaType }];
  return [{ type: 'data-file', id, data: { mediaType, characters: url.length, omitted: true } }];
}

/**
 * The sources that a message of the assistant names in its metadata: the pages that it cites, each once, and documents of
 * the list `annotations`.
 */
export function sourceChunks(message: Message): Chunk[] {
  const { id, metadata } = message;
  const pages = new Map(citationsOf(message).map(({ url, title }) => [url, title]));
  const cited = [...pages].map(([url, title], at): Chunk => ({
    type: 'source-url',
    sourceId: `${id}:citation:${at}`,
    url,
    ...(title !== url && { title }),
  }));
  const given = metadata?.['annotations'];
  return [...cited, ...(Array.isArray(given) ? given.flatMap((one, at) => annotated(one, `${id}:source:${at}`)) : [])];
}

function annotated(one: Json, sourceId: string): Chunk[] {
  if (!isPlainObject(one)) return [];
  const { url, title, filename, media_type: mediaType } = one;
  if (one['type'] === 'url_citation' && typeof url === 'string') {
    return [{ type: 'source-url', sourceId, url, ...(typeof title === 'string' && { title }) }];
  }
  if (one['type'] !== 'file_citation' && one['type'] !== 'document_citation') return [];
  const name = typeof filename === 'string' ? filename : undefined;
  return [
    {
      type: 'source-document',
      sourceId,
      mediaType: typeof mediaType === 'string' ? mediaType : (typeOfName(name ?? '') ?? 'application/octet-stream'),
      title: typeof title === 'string' ? title : (name ?? 'Document'),
      ...(name !== undefined && { filename: name }),
    },
  ];
}

function medium(url: string | null, otherwise: string): Medium | undefined {
  if (url === null || url === '') return undefined;
  const [, said] = /^data:([\w.+-]+\/[\w.+-]+)/.exec(url) ?? [];
  return { url, mediaType: said ?? typeOfAddress(url) ?? otherwise };
}
