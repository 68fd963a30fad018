import { assertUnreachable, type Json, type JsonObject } from '../../../common/index.js';
import { type Content, dataOf, type Message } from '../../../events/index.js';
import { itemIdOf } from './item-ids.js';
import type { Item } from './item.types.js';
import { text } from './tool-data.js';

/** The key of a message's metadata with an item that is listed as the client sent it. */
export const OPAQUE_ITEM = 'responses_item';

/**
 * The item of an input message: of a user, a system, a client's tool, or an answer to an approval request.
 * Undefined for output of the assistant.
 */
export function inputItem(message: Message): Item | undefined {
  const opaque = message.metadata?.[OPAQUE_ITEM];
  if (typeof opaque === 'object' && opaque !== null && !Array.isArray(opaque)) return opaqueItem(message, opaque);
  if (message.type === 'function_call_output') return functionOutput(message);
  if (message.type === 'mcp_approval_response') return approvalResponse(message);
  if (message.type !== 'message' || message.role === 'assistant') return undefined;
  return {
    id: itemIdOf(message),
    type: 'message',
    status: 'completed',
    role: message.role ?? 'user',
    content: (message.content ?? []).flatMap(inputPart),
  };
}

/** An item that the server keeps for the client is returned as it was sent. */
function opaqueItem(message: Message, item: JsonObject): Item {
  const { id, type, ...rest } = item;
  return { id: typeof id === 'string' ? id : message.id, type: text(type), ...rest };
}

/** The output of a call that the client made. */
function functionOutput(message: Message): Item {
  const data = dataOf(message) ?? {};
  return {
    id: itemIdOf(message),
    type: 'function_call_output',
    status: 'completed',
    call_id: text(data['call_id']),
    output: outputOf(message, text(data['output'])),
  };
}

/** An output with images is a list of parts. */
function outputOf({ content }: Message, output: string): Json {
  const images = (content ?? []).filter(({ type }) => type === 'image').flatMap(inputPart);
  if (images.length === 0) return output;
  return [...(output === '' ? [] : [{ type: 'input_text', text: output }]), ...images];
}

/** The user's decision about a call; `reason` is null if none was given. */
function approvalResponse(message: Message): Item {
  const data = dataOf(message) ?? {};
  return {
    id: itemIdOf(message),
    type: 'mcp_approval_response',
    approval_request_id: text(data['approval_request_id']),
    approve: data['approve'] === true,
    reason: typeof data['reason'] === 'string' ? data['reason'] : null,
  };
}

/** A content as parts of an input message. Refusals and data become text, as input has no such parts. */
function inputPart(content: Content): JsonObject[] {
  switch (content.type) {
    case 'text':
      return [{ type: 'input_text', text: content.text ?? '' }];
    case 'refusal':
      return [{ type: 'input_text', text: content.refusal ?? '' }];
    case 'data':
      return [{ type: 'input_text', text: JSON.stringify(content.data ?? {}) }];
    case 'image':
      return [{ type: 'input_image', image_url: content.image_url, file_id: null, detail: 'auto' }];
    case 'video':
      return [{ type: 'input_video', video_url: content.video_url }];
    case 'audio':
      return [{ type: 'input_audio', input_audio: { data: content.data ?? '', format: content.format ?? 'wav' } }];
    case 'file':
      return [filePart(content)];
    default:
      return assertUnreachable(content);
  }
}

/** Fields that are null in the session are left out. */
function filePart(content: Extract<Content, { type: 'file' }>): JsonObject {
  const { file_url: url, file_id: id, file_data: data, filename } = content;
  return {
    type: 'input_file',
    ...(url !== null && { file_url: url }),
    ...(id !== null && { file_id: id }),
    ...(data !== null && { file_data: data }),
    ...(filename !== null && { filename }),
  };
}
