import { typeOfAddress, typeOfAudio, typeOfName } from '../../common/index.js';
import type { Content } from '../../events/index.js';
import type { Part } from './a2a.types.js';

const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w=.+-]+)*;base64,(.*)$/s;

/** A content as parts (contract a2a, section 7.2): none if it has no value. */
export function contentParts(content: Content): readonly Part[] {
  switch (content.type) {
    case 'text':
      return content.text ? [{ text: content.text }] : [];
    case 'refusal':
      return content.refusal ? [{ text: content.refusal }] : [];
    case 'data':
      return content.data === null ? [] : [{ data: content.data, mediaType: 'application/json' }];
    case 'image':
      return mediumPart(content.image_url, 'image/*');
    case 'video':
      return mediumPart(content.video_url, 'video/*');
    case 'audio': {
      const type = typeOfAudio(content.format);
      if (content.data === null || content.data.startsWith('data:')) return mediumPart(content.data, type);
      return content.data === '' ? [] : [{ raw: content.data, mediaType: type }];
    }
    case 'file': {
      const { file_url, file_data, filename } = content;
      const type = typeOfName(filename ?? '') ?? 'application/octet-stream';
      const named = filename === null ? {} : { filename };
      if (file_url === null && file_data !== null && !file_data.startsWith('data:')) {
        return [{ raw: file_data, mediaType: type, ...named }];
      }
      return mediumPart(file_url ?? file_data, type).map((part) => ({ ...part, ...named }));
    }
  }
}

function mediumPart(url: string | null, otherwise: string): readonly Part[] {
  if (url === null || url === '') return [];
  const [, said, base64] = DATA_URL.exec(url) ?? [];
  if (base64 !== undefined) return [{ raw: base64, mediaType: said ?? otherwise }];
  return [{ url, mediaType: typeOfAddress(url) ?? otherwise }];
}
