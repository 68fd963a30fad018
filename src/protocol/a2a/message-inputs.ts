import { Injectable } from '@nestjs/common';
import { AttachmentService } from '../../agent/attachment/index.js';
import { AppError, IdFactory, type Principal } from '../../common/index.js';
import { type Message, messageOf } from '../../events/index.js';
import { A2aError } from './a2a.errors.js';
import type { checkedParts, ImageFile } from './message-content.js';

/** Makes the messages that agents get, and stores their images. */
@Injectable()
export class MessageInputs {
  constructor(
    private readonly attachments: AttachmentService,
    private readonly ids: IdFactory,
  ) {}

  /** The id of a new task. */
  newTaskId(): string {
    return this.ids.uuid();
  }

  /** The message for the agent. Its own id may be that of another one, so the server chooses. */
  async messageOf(checked: ReturnType<typeof checkedParts>, principal: Principal): Promise<Message> {
    const contents = await checked.contents((file) => this.store(principal, file));
    return messageOf({ id: this.ids.next('msg_'), role: 'user' }, contents);
  }

  private async store(principal: Principal, { path, ...file }: ImageFile): Promise<string> {
    try {
      const { attachment } = await this.attachments.upload(principal, file);
      const reference = await this.attachments.referenceTo(principal, attachment.id);
      if (reference === undefined) throw new AppError('ATTACHMENT_STORE_ERROR');
      return reference;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'UNSUPPORTED_MEDIA_TYPE') throw error;
      throw new A2aError('CONTENT_TYPE_NOT_SUPPORTED', `${path}: ${error.message}`);
    }
  }
}
