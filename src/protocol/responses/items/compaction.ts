import { isPlainObject, type JsonObject } from '../../../common/index.js';
import { type Message, summaryOf } from '../../../events/index.js';
import { OPAQUE_ITEM } from './input-item.js';
import { compactionIdOf } from './item-ids.js';
import type { CompactionItem } from './item.types.js';

/** The type of the item, and of the event while it is made. */
const TYPE = 'compaction';

/** The metadata of a message whose summary is shown as an item. @param content the summary, encrypted */
export function compactionLabel(content: string): JsonObject {
  return { [OPAQUE_ITEM]: { type: TYPE, encrypted_content: content } };
}

/** The item of a message that stands for everything before it; undefined for any other message. */
export function compactionItem(message: Message): CompactionItem | undefined {
  const item = message.metadata?.[OPAQUE_ITEM];
  if (summaryOf(message) === undefined || !isPlainObject(item)) return undefined;
  const { id, encrypted_content: content } = item;
  if (typeof content !== 'string') return undefined;
  return { id: typeof id === 'string' ? id : compactionIdOf(message), type: TYPE, encrypted_content: content };
}
