import { addressKey } from '../../attachment/index.js';
import { canonicalJson } from '../../common/index.js';
import type { Content, Message } from '../../events/index.js';

/** True for messages that say the same, whatever their ids, states and the signatures of their addresses. */
export function sameContent(one: Pick<Message, 'content'>, other: Pick<Message, 'content'>): boolean {
  return keyOf(one) === keyOf(other);
}

function keyOf({ content }: Pick<Message, 'content'>): string {
  return canonicalJson((content ?? []).map(valueOf));
}

/** A content without what only describes its life cycle or position. */
function valueOf({ index, status, delta, msg_id, error, ...value }: Content): object {
  void [index, status, delta, msg_id, error];
  if (value.type === 'image' && value.image_url !== null) return { ...value, image_url: addressKey(value.image_url) };
  if (value.type === 'file' && value.file_url !== null) return { ...value, file_url: addressKey(value.file_url) };
  return value;
}
