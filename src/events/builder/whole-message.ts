import { isDeepStrictEqual } from 'node:util';
import { fieldsOf, isContentType } from '../content-value.js';
import { isTerminalStatus, type Content, type Message } from '../vocabulary.js';
import { BuilderError } from './builder-error.js';
import type { MessageBuilder } from './message-builder.js';

/** Writes a whole message through its fresh builder; returns the closing event, or the message as it stands when it is not closed. */
export function addWholeMessage(builder: MessageBuilder, message: Message): Message {
  refuseUnknownTypes(message);
  builder.created();
  return writeMessage(builder, message);
}

/** Brings an open message to the given state. @throws BuilderError GRAMMAR before anything is recorded */
export function updateOpenMessage(builder: MessageBuilder, message: Message): Message {
  if (builder.isClosed) throw new BuilderError('GRAMMAR', `updateMessage after message ${builder.id} is closed`);
  refuseUnknownTypes(message);
  const present = builder.getMessageData().content ?? [];
  for (const [index, content] of (message.content ?? []).entries()) {
    const before = present[index];
    if (before) refuseConflict(builder.id, before, content);
  }
  return writeMessage(builder, message);
}

function writeMessage(builder: MessageBuilder, message: Message): Message {
  const present = builder.getMessageData().content ?? [];
  for (const [index, content] of (message.content ?? []).entries()) {
    const before = present[index];
    if (before && (isTerminalStatus(before.status) || sameValue(before, content))) continue;
    const placed = { ...content, index: before ? index : null };
    builder.addDeltaContent({ ...placed, delta: !before });
    // A content of a message that is still open stays open with it, unless it says it is closed.
    if (isTerminalStatus(content.status)) builder.contentCompleted(index);
  }
  if (isTerminalStatus(message.status)) return builder.close(message.status, message);
  return builder.getMessageData();
}

function refuseUnknownTypes(message: Message): void {
  for (const { type } of message.content ?? []) {
    if (!isContentType(type))
      throw new BuilderError('UNSUPPORTED_CONTENT_TYPE', `Unsupported content type: ${String(type)}`);
  }
}

function refuseConflict(id: string, before: Content, after: Content): void {
  const closed = isTerminalStatus(before.status);
  if (before.type === after.type && (!closed || sameValue(before, after))) return;
  const why = closed ? `is already ${before.status}` : `is of type ${before.type}`;
  throw new BuilderError('GRAMMAR', `updateMessage: content ${before.index} of message ${id} ${why}`);
}

function sameValue(before: Content, after: Content): boolean {
  return before.type === after.type && isDeepStrictEqual(fieldsOf(before), fieldsOf(after));
}
