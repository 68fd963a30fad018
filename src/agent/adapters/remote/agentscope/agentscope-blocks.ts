import type { ContentInput } from '../../../../events/index.js';
import { asText, type Fields, objectAt, objectsAt, textAt, tokensAt } from '../json-fields.js';

/** Events that say nothing beyond those around them. */
export const SILENT: ReadonlySet<string> = new Set([
  ...['REPLY_START', 'TEXT_BLOCK_START', 'THINKING_BLOCK_START', 'TOOL_RESULT_DATA_DELTA'],
  ...['EXCEED_MAX_ITERS', 'USER_CONFIRM_RESULT', 'USER_INTERRUPT', 'EXTERNAL_EXECUTION_RESULT'],
]);
/** After these the run is over, or waits for somebody. */
export const LAST: ReadonlySet<string> = new Set(['REPLY_END', 'REQUIRE_USER_CONFIRM', 'REQUIRE_EXTERNAL_EXECUTION']);
/** States of a call that somebody must answer. */
const WAITING: ReadonlySet<string> = new Set(['asking', 'submitted']);

/** True for a block of a call that waits for somebody. */
export function isWaiting(block: Fields): boolean {
  return textAt(block, 'type') === 'tool_call' && WAITING.has(textAt(block, 'state') ?? '');
}

/** The result of a call as text. What is no text is named by its type. */
export function outputOf(output: unknown): string {
  if (!Array.isArray(output)) return asText(output);
  return objectsAt({ output }, 'output')
    .map((one) => textAt(one, 'text') ?? `[${textAt(objectAt(one, 'source'), 'media_type') ?? 'data'}]`)
    .join('\n');
}

/** A stored file as a content. */
export function storedContent(block: Fields): ContentInput {
  const source = objectAt(block, 'source');
  const type = textAt(source, 'media_type') ?? 'application/octet-stream';
  return contentOf(type, textAt(source, 'url') ?? textAt(source, 'data') ?? '', textAt(block, 'name') ?? null);
}

/** A file as a content. @param data base64, or an address */
export function contentOf(type: string, data: string, filename: string | null): ContentInput {
  const isAddress = /^https?:/.test(data);
  const address = isAddress ? data : `data:${type};base64,${data}`;
  if (type.startsWith('image/')) return { type: 'image', image_url: address };
  return isAddress ? { type: 'file', file_url: data, filename } : { type: 'file', file_data: address, filename };
}

/** How many blocks of a reply were told before its calls were answered. */
export function answeredUntil(blocks: readonly Fields[], answered: readonly { readonly callId: string }[]): number {
  const ids = new Set(answered.map(({ callId }) => callId));
  return blocks.findLastIndex((one) => textAt(one, 'type') === 'tool_call' && ids.has(textAt(one, 'id') ?? '')) + 1;
}

/** The tokens that stored replies have used together. @param name of the count */
export function storedTokens(replies: readonly Fields[], name: string): number {
  return replies.reduce((sum, reply) => sum + (tokensAt(objectAt(reply, 'usage'), name) ?? 0), 0);
}
