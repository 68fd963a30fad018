import { type AttachmentSource, isAttachmentReference } from '../../attachment/index.js';
import type { ModelMessage, ModelPart } from '../../ports/model-client.js';
import type { RemoteAgentConfig } from '../../remote/remote-config.js';
import { GONE } from '../upstream/inline-images.js';

type ImagePart = Extract<ModelPart, { readonly type: 'image' }>;

/** The longest file that is sent in a request, in characters of its base64 form: 1 MiB. */
const LONGEST_FILE = 1_400_000;
/** Stands for a file that is not sent. */
const NOT_SENT = '[The user attached a file that this agent does not get.]';
/** The same of an image that belongs to the result of a call. */
const IMAGE_NOT_SENT = '[The result has an image that this agent does not get.]';

/**
 * Messages with their files as an upstream gets them: uploads as bytes or, with `signed`, as addresses of this server
 * that were signed just now. Addresses of others stay as they are. A sentence stands for each file that is not sent.
 *
 * @param messages with no upload of another owner
 * @throws AppError ATTACHMENT_STORE_ERROR
 */
export async function withSentFiles(
  messages: readonly ModelMessage[],
  files: RemoteAgentConfig['files'],
  attachments: AttachmentSource,
): Promise<readonly ModelMessage[]> {
  const sent = (part: ModelPart): Promise<ModelPart> => sentPart(part, files, attachments);
  return Promise.all(
    messages.map(async (message): Promise<ModelMessage> => {
      if (message.role === 'user') return { role: 'user', content: await Promise.all(message.content.map(sent)) };
      if (message.role !== 'tool' || !message.images?.length) return message;
      const parts = await Promise.all(message.images.map(sent));
      const images = parts.filter((part): part is ImagePart => part.type === 'image');
      const content = images.length === parts.length ? message.content : withNote(message.content);
      return { ...message, content, images };
    }),
  );
}

function withNote(content: string): string {
  return content === '' ? IMAGE_NOT_SENT : `${content}\n${IMAGE_NOT_SENT}`;
}

async function sentPart(
  part: ModelPart,
  files: RemoteAgentConfig['files'],
  attachments: AttachmentSource,
): Promise<ModelPart> {
  if (part.type === 'text') return part;
  if (files === 'none') return { type: 'text', text: NOT_SENT };
  const address = part.type === 'audio' ? part.data : part.type === 'image' ? part.url : (part.data ?? part.url ?? '');
  if (isAttachmentReference(address)) return uploaded(address, files, attachments);
  return address.length <= LONGEST_FILE ? part : { type: 'text', text: NOT_SENT };
}

/** An upload: they are all images. */
async function uploaded(
  reference: string,
  files: 'inline' | 'signed',
  attachments: AttachmentSource,
): Promise<ModelPart> {
  if (files === 'signed') {
    const signed = await attachments.signedUrl(reference);
    return signed ? { type: 'image', url: signed.url, mimeType: signed.mimeType } : { type: 'text', text: GONE };
  }
  const content = await attachments.read(reference);
  if (!content) return { type: 'text', text: GONE };
  const url = `data:${content.mimeType};base64,${content.bytes.toString('base64')}`;
  return url.length <= LONGEST_FILE ? { type: 'image', url } : { type: 'text', text: NOT_SENT };
}
