import { Injectable } from '@nestjs/common';
import { AttachmentService, AttachmentSettings } from '../../agent/attachment/index.js';
import type { Principal } from '../../common/index.js';
import type { Content, Message } from '../../events/index.js';
import { OpenAiError } from '../openai/index.js';
import type { DecodedMessage } from './message.decoder.js';

/** The files of requests: which sizes they may have, and the uploads that they name (contract chat-completions, section A3). */
@Injectable()
export class CompletionFiles {
  constructor(
    private readonly attachments: AttachmentService,
    private readonly settings: AttachmentSettings,
  ) {}

  /** The most bytes of one image, sound, video or file in a request. */
  get maxBytes(): number {
    return this.settings.maxBytes;
  }

  /**
   * The input of a run with the uploads of its owner in place of their ids.
   *
   * @param messages of the request, some of which are the input
   * @throws OpenAiError ATTACHMENT_NOT_FOUND for an id that names no upload of the owner
   */
  async resolved(
    owner: Principal,
    input: readonly Message[],
    messages: readonly DecodedMessage[],
  ): Promise<readonly Message[]> {
    if (!input.some(namesUpload)) return input;
    return Promise.all(
      input.map(async (message) => {
        if (!namesUpload(message)) return message;
        const at = messages.findIndex((one) => one.messages.includes(message));
        const content = await Promise.all(
          (message.content ?? []).map((part, index) => this.upload(owner, part, `messages[${at}].content[${index}]`)),
        );
        return { ...message, content };
      }),
    );
  }

  private async upload(owner: Principal, part: Content, path: string): Promise<Content> {
    if (part.type !== 'file' || part.file_id === null) return part;
    const { file_id: id, index, status, delta, msg_id } = part;
    const reference = await this.attachments.referenceTo(owner, id);
    if (reference !== undefined) {
      return { object: 'content', type: 'image', image_url: reference, index, delta, msg_id, status };
    }
    const message = `${path}.file.file_id: there is no file with the id ${id}`;
    throw new OpenAiError('ATTACHMENT_NOT_FOUND', message, `${path}.file.file_id`);
  }
}

/** True for a message of a request with the id of an upload. */
export function namesUpload({ role, content }: Message): boolean {
  return role === 'user' && (content ?? []).some((part) => part.type === 'file' && part.file_id !== null);
}
