import { assertUnreachable } from '../../common/index.js';
import type { Content, FileContent, Message } from '../../events/index.js';
import type { ModelPart } from '../ports/model-client.js';

/** The texts, refusals and data of a message, as one text. */
export function readableText(message: Message): string {
  return (message.content ?? []).map(contentText).filter(Boolean).join('\n');
}

/** A user's message as the parts a model can take. What it cannot take is named in words. */
export function partsOf(message: Message): ModelPart[] {
  return (message.content ?? []).flatMap(partOf);
}

function contentText(content: Content): string {
  if (content.type === 'text') return content.text ?? '';
  if (content.type === 'refusal') return content.refusal ?? '';
  if (content.type === 'data') return content.data ? JSON.stringify(content.data) : '';
  return '';
}

function partOf(content: Content): ModelPart[] {
  switch (content.type) {
    case 'text':
    case 'refusal':
    case 'data':
      return textPart(contentText(content));
    case 'image':
      return content.image_url ? [{ type: 'image', url: content.image_url }] : [];
    case 'audio':
      return content.data ? [{ type: 'audio', data: content.data, format: content.format ?? 'wav' }] : [];
    case 'file':
      return filePart(content);
    case 'video':
      return textPart(content.video_url ? videoNote(content.video_url) : '');
    default:
      return assertUnreachable(content);
  }
}

function textPart(text: string): ModelPart[] {
  return text === '' ? [] : [{ type: 'text', text }];
}

function filePart(content: FileContent): ModelPart[] {
  const { file_url: url, file_data: data, filename, file_id: id } = content;
  if (url || data) return [{ type: 'file', url, data, filename }];
  return textPart(
    filename || id ? `[The user attached the file ${filename ?? id}; its content is not available.]` : '',
  );
}

function videoNote(url: string): string {
  return url.startsWith('data:') ? '[The user attached a video.]' : `[The user attached the video ${url}]`;
}
