import { isAttachmentReference, isOwnPath, parseReference } from '../../attachment/index.js';
import type { Principal } from '../../common/index.js';
import type { ModelMessage, ModelPart } from '../ports/model-client.js';

/**
 * Leaves out references to attachments that are not this user's. None gets into a session by a request;
 * this holds also for messages that came in another way.
 */
export function withOwnAttachments(messages: readonly ModelMessage[], principal: Principal): ModelMessage[] {
  return messages.map((message) =>
    message.role === 'user' && message.content.some((part) => isForeign(part, principal))
      ? { ...message, content: message.content.filter((part) => !isForeign(part, principal)) }
      : message,
  );
}

function isForeign(part: ModelPart, principal: Principal): boolean {
  const url = part.type === 'image' || part.type === 'file' ? part.url : null;
  if (url === null || !isAttachmentReference(url)) return false;
  const place = parseReference(url);
  return !place || !isOwnPath(principal, place.path);
}
