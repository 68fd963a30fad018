import type { Message } from '../events/index.js';
import { isAttachmentReference } from './attachment-reference.js';

/** The references to attachments that messages hold, each once, in their order. */
export function referencesIn(messages: readonly Message[]): readonly string[] {
  const found = new Set<string>();
  for (const { content } of messages) {
    for (const part of content ?? []) {
      const url = part.type === 'image' ? part.image_url : part.type === 'file' ? part.file_url : null;
      if (typeof url === 'string' && isAttachmentReference(url)) found.add(url);
    }
  }
  return [...found];
}
