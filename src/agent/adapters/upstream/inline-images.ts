import { type AttachmentReader, isAttachmentReference } from '../../attachment/index.js';
import type { ModelMessage, ModelPart, ModelRequest } from '../../ports/model-client.js';

/** What the model gets in place of an image that was deleted. */
export const GONE = '[The user attached an image that is no longer available.]';

/** The request with the bytes of attached images in the place of their references: a model cannot fetch those. */
export async function withInlineImages(request: ModelRequest, attachments: AttachmentReader): Promise<ModelRequest> {
  if (!request.messages.some(hasReference)) return request;
  const messages = await Promise.all(request.messages.map((message) => inlined(message, attachments)));
  return { ...request, messages };
}

function hasReference(message: ModelMessage): boolean {
  return message.role === 'user' && message.content.some((part) => referenceIn(part) !== undefined);
}

async function inlined(message: ModelMessage, attachments: AttachmentReader): Promise<ModelMessage> {
  if (message.role !== 'user' || !hasReference(message)) return message;
  return { ...message, content: await Promise.all(message.content.map((part) => inlinedPart(part, attachments))) };
}

/** Replaces a reference by the image itself, since the provider cannot read the server's attachments. */
async function inlinedPart(part: ModelPart, attachments: AttachmentReader): Promise<ModelPart> {
  const reference = referenceIn(part);
  if (reference === undefined) return part;
  const content = await attachments.read(reference);
  if (!content) return { type: 'text', text: GONE };
  return { type: 'image', url: `data:${content.mimeType};base64,${content.bytes.toString('base64')}` };
}

/** The reference to an attachment; undefined for other parts and for public addresses. */
function referenceIn(part: ModelPart): string | undefined {
  const url = part.type === 'image' || part.type === 'file' ? part.url : null;
  return url !== null && isAttachmentReference(url) ? url : undefined;
}
