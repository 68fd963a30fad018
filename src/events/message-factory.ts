import type { JsonObject } from '../common/index.js';
import { fieldsOf, makeContent, type ContentInput } from './content-value.js';
import type { Message, MessageType, Role, RunStatus } from './agent-objects.js';

/** The fields of a constructed message. The default status is `completed`. */
export interface MessageInput {
  readonly id: string;
  readonly role: Role | null;
  readonly type?: MessageType;
  readonly status?: RunStatus;
  /** Why it is incomplete. */
  readonly code?: string;
  readonly metadata?: JsonObject | null;
}

/** A finished message with the given contents, whose `index`, `msg_id` and `status` are added. */
export function messageOf(input: MessageInput, contents: readonly ContentInput[]): Message {
  const status = input.status ?? 'completed';
  return {
    object: 'message',
    status,
    error: null,
    id: input.id,
    type: input.type ?? 'message',
    role: input.role,
    content: contents.map((content, index) =>
      makeContent({ type: content.type, index, msgId: input.id, status, delta: false }, fieldsOf(content)),
    ),
    code: input.code ?? null,
    message: null,
    usage: null,
    metadata: input.metadata ?? null,
  };
}

/** A finished message with one text. */
export function textMessage(input: MessageInput & { readonly text: string }): Message {
  return messageOf(input, [{ type: 'text', text: input.text }]);
}

/** A finished message with one data content: tool calls, their outputs, approvals. */
export function dataMessage(input: MessageInput & { readonly data: JsonObject }): Message {
  return messageOf(input, [{ type: 'data', data: input.data }]);
}

/** The message under another id. */
export function withMessageId(message: Message, id: string): Message {
  return { ...message, id, content: message.content?.map((content) => ({ ...content, msg_id: id })) ?? null };
}

/** The joined texts of a message. Other contents are ignored. */
export function textOf(message: Pick<Message, 'content'>): string {
  return (message.content ?? []).map((content) => (content.type === 'text' ? (content.text ?? '') : '')).join('');
}

/** The data of the first data content; undefined if there is none. */
export function dataOf(message: Pick<Message, 'content'>): JsonObject | undefined {
  for (const content of message.content ?? []) {
    if (content.type === 'data' && content.data) return content.data;
  }
  return undefined;
}

/**
 * The message with other URLs of its images.
 *
 * @param urlOf the new URL of an image; undefined leaves the image as it is
 */
export function withImageUrls(message: Message, urlOf: (url: string) => string | undefined): Message {
  const content = message.content?.map((part) =>
    part.type === 'image' && part.image_url !== null
      ? { ...part, image_url: urlOf(part.image_url) ?? part.image_url }
      : part,
  );
  return content ? { ...message, content } : message;
}
