import { isoTime, type JsonObject } from '../../../common/index.js';
import { isCutByLimit, type Message } from '../../../events/index.js';
import type { SessionMessage } from '../../../agent/session/index.js';

/** An image of a user message. */
export interface HistoryAttachment {
  readonly mimeType: string;
  readonly url: string;
}

/** A message of the history (contract runs-api, section 6). */
export type HistoryMessage =
  | {
      readonly id: string;
      readonly seq: number;
      readonly role: 'user';
      readonly content: string;
      readonly attachments: readonly HistoryAttachment[];
      readonly timestamp: string;
    }
  | {
      readonly id: string;
      readonly seq: number;
      readonly role: 'assistant';
      readonly content: string;
      readonly ui_schema: JsonObject | null;
      readonly timestamp: string;
    };

/** Gives an image its address as of now; undefined for one that is gone. */
export type AddressImage = (imageUrl: string) => HistoryAttachment | undefined;

/**
 * Shows a message, or nothing for what a history leaves out: tools, system, reasoning, what was cut off,
 * and an assistant's message that says nothing.
 */
export function encodeHistoryMessage(stored: SessionMessage, addressOf: AddressImage): HistoryMessage | undefined {
  const { message, seq, createdAt } = stored;
  if (message.type !== 'message' || !isWhole(message)) return undefined;
  const timestamp = isoTime(createdAt);
  const content = textsOf(message).join('\n');
  if (message.role === 'user') {
    return { id: message.id, seq, role: 'user', content, attachments: attachmentsOf(message, addressOf), timestamp };
  }
  if (message.role !== 'assistant') return undefined;
  const uiSchema = uiSchemaOf(message);
  if (content === '' && uiSchema === null) return undefined;
  return { id: message.id, seq, role: 'assistant', content, ui_schema: uiSchema, timestamp };
}

/**
 * What was cut off is no history, unless a limit of the model has cut it: then it is all that the model has answered.
 * What a client sent is whole, whatever it says: `created` is what most say.
 */
function isWhole(message: Message): boolean {
  const { role, status } = message;
  return role === 'user' || status === 'completed' || status === 'created' || isCutByLimit(message);
}

/** True for a message that a history shows. */
export function isVisible(stored: SessionMessage): boolean {
  return encodeHistoryMessage(stored, () => undefined) !== undefined;
}

function textsOf(message: Message): readonly string[] {
  return (message.content ?? []).flatMap((content) => {
    const text = content.type === 'text' ? content.text : content.type === 'refusal' ? content.refusal : null;
    return text === null ? [] : [text];
  });
}

function attachmentsOf(message: Message, addressOf: AddressImage): readonly HistoryAttachment[] {
  return (message.content ?? []).flatMap((content) => {
    const url = content.type === 'image' ? content.image_url : null;
    return (url !== null && addressOf(url)) || [];
  });
}

/** As it was compiled when the message was completed; the compiler's version is no part of it. */
function uiSchemaOf({ metadata }: Message): JsonObject | null {
  const kept = metadata?.['ui_schema'];
  if (typeof kept !== 'object' || kept === null || Array.isArray(kept)) return null;
  const { compiler, ...schema } = kept;
  void compiler;
  return schema;
}
