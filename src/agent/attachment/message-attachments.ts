import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/index.js';
import type { Transaction } from '../../database/index.js';
import type { Content, Message } from '../../events/index.js';
import { AttachmentBinder, type AttachmentBinding } from './attachment-binder.js';
import { isAttachmentReference } from './attachment-reference.js';
import { AttachmentService } from './attachment.service.js';

/** The owner of the session that messages join, and whether the server knows who sends them. */
export interface MessageSender {
  /** The owner of the session. */
  readonly owner: Principal;
  /** False: users are claims, so that an attachment may be of any of them. */
  readonly isAuthenticated: boolean;
}

/** An attachment as a session keeps it. */
export interface LocatedAttachment {
  readonly reference: string;
  /** True if it is of another user than the owner of the session. */
  readonly isForeign: boolean;
}

/** Messages as a session keeps them. */
export interface LocatedMessages {
  readonly messages: readonly Message[];
  /** The references to attachments of other users than the owner of the session, without authentication. */
  readonly granted: ReadonlySet<string>;
}

/**
 * The images and files of messages that are attachments of this server. Over all wires alike, a session keeps where they
 * are, models get their bytes, and readers get addresses that are signed anew.
 */
@Injectable()
export class MessageAttachments {
  constructor(
    private readonly attachments: AttachmentService,
    private readonly binder: AttachmentBinder,
  ) {}

  /**
   * Replaces the signed addresses of attachments in messages of clients by references. Addresses that have expired
   * count, because clients send old messages again. The address of an attachment that is gone, or that the sender may
   * not use, becomes a reference that no session accepts. What the assistant says is left as it is.
   */
  async located(messages: readonly Message[], sender: MessageSender): Promise<LocatedMessages> {
    const references = new Map<string, string>();
    const granted = new Set<string>();
    for (const url of messages.flatMap(addressesOf)) {
      if (references.has(url)) continue;
      const found = await this.attachments.locate(url, sender);
      if (found) references.set(url, found.reference);
      if (found?.isForeign) granted.add(found.reference);
    }
    if (references.size === 0) return { messages, granted };
    const urlOf = (url: string): string | undefined => references.get(url);
    return { messages: messages.map((one) => (one.role === 'assistant' ? one : withAddresses(one, urlOf))), granted };
  }

  /** Binds the attachments of messages to the session that they join. @throws AppError as `AttachmentBinder.bind` */
  bind(tx: Transaction, binding: AttachmentBinding): Promise<void> {
    return this.binder.bind(tx, binding);
  }

  /** The messages with new addresses of their attachments, for whoever may read the session. */
  shown(messages: readonly Message[], { tenantId }: Pick<Principal, 'tenantId'>): readonly Message[] {
    return messages.map((message) => this.shownMessage(message, tenantId));
  }

  /** As `shown`. */
  shownMessage(message: Message, tenantId: string): Message {
    const urlOf = (url: string): string | undefined =>
      isAttachmentReference(url) ? (this.attachments.signIn(tenantId, url)?.url ?? '') : undefined;
    return hasAddress(message, isAttachmentReference) ? withAddresses(message, urlOf) : message;
  }
}

/** The addresses in a message that a client sends in its own name. */
function addressesOf({ role, content }: Message): readonly string[] {
  return role === 'assistant' ? [] : (content ?? []).flatMap((part) => addressOf(part) ?? []);
}

function addressOf(part: Content): string | undefined {
  if (part.type === 'image') return part.image_url ?? undefined;
  return part.type === 'file' ? (part.file_url ?? undefined) : undefined;
}

function hasAddress({ content }: Message, test: (url: string) => boolean): boolean {
  return (content ?? []).some((part) => test(addressOf(part) ?? ''));
}

/** The message with other addresses, where there are any. */
function withAddresses(message: Message, urlOf: (url: string) => string | undefined): Message {
  const content = (message.content ?? []).map((part): Content => {
    const url = addressOf(part);
    const other = url === undefined ? undefined : urlOf(url);
    if (other === undefined) return part;
    return part.type === 'image'
      ? { ...part, image_url: other }
      : { ...(part as typeof part & { type: 'file' }), file_url: other };
  });
  return { ...message, content };
}
