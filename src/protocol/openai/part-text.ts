import { assertUnreachable } from '../../common/index.js';
import type { Content } from '../../events/index.js';

/**
 * A content as the text of an answer (contract responses, section E; contract chat-completions, section A4). These APIs
 * have no output parts for images, audio, files and data, which become Markdown links and JSON text.
 */
export function partText(content: Content): string {
  switch (content.type) {
    case 'text':
      return content.text ?? '';
    case 'refusal':
      return content.refusal ?? '';
    case 'image':
      return content.image_url ? `![image](${content.image_url})` : '';
    case 'video':
      return content.video_url ? `[video](${content.video_url})` : '';
    case 'file':
      return fileText(content.filename ?? content.file_id ?? 'file', content.file_url);
    case 'audio':
      return content.data ? audioText(content.data, content.format ?? 'wav') : '';
    case 'data':
      return content.data ? JSON.stringify(content.data) : '';
    default:
      return assertUnreachable(content);
  }
}

/** Files become Markdown links. */
function fileText(name: string, url: string | null): string {
  return url ? `[${name}](${url})` : `[${name}]`;
}

/** Inline audio becomes a `data:` URL, so that the text is complete by itself. */
function audioText(data: string, format: string): string {
  const isAddress = /^(https?|data):/.test(data);
  return `[audio](${isAddress ? data : `data:audio/${format};base64,${data}`})`;
}
