import { Injectable } from '@nestjs/common';
import { AppError, Clock, type Principal } from '../../common/index.js';
import type { Transaction } from '../../database/index.js';
import type { Message } from '../../events/index.js';
import type { RemovedSession, SessionCleaner } from '../session/index.js';
import { isAttachmentReference, isOwnPath, parseReference } from './attachment-reference.js';
import { AttachmentStore } from './ports/attachment-store.js';

/** Messages that join a session, and whose session it is. */
export interface AttachmentBinding {
  readonly principal: Principal;
  readonly sessionRowId: number;
  readonly messages: readonly Message[];
  /** As in `LocatedMessages`; absent: none. */
  readonly granted?: ReadonlySet<string>;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

const UNKNOWN = 'Unknown attachment: it does not exist, was deleted, or is not yours';

/** Binds attachments to sessions in the transaction that stores the messages: bound attachments are kept. */
@Injectable()
export class AttachmentBinder implements SessionCleaner {
  constructor(
    private readonly store: AttachmentStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Binds the attachments that messages refer to.
   *
   * @throws AppError INVALID_PARAMETER for an attachment that does not exist, or is another user's and not granted
   */
  async bind(tx: Transaction, { principal, sessionRowId, messages, granted, now }: AttachmentBinding): Promise<void> {
    for (const reference of referencesIn(messages)) {
      const attachment = parseReference(reference);
      const { tenantId, userId } = principal;
      const isGranted = granted?.has(reference) === true;
      const isUsable = attachment && (isGranted || isOwnPath(principal, attachment.path));
      const owner = { tenantId, userId: isGranted ? undefined : userId };
      if (!isUsable || !(await this.store.bind(tx, { sessionRowId, now, ...attachment, ...owner }))) {
        throw new AppError('INVALID_PARAMETER', UNKNOWN);
      }
    }
  }

  /** Binds the attachments of one session to another one that got a copy of its messages. */
  copy(tx: Transaction, fromSessionRowId: number, toSessionRowId: number): Promise<void> {
    return this.store.copyBindings(tx, fromSessionRowId, toSessionRowId);
  }

  /** Attachments of a removed session are released, so that they expire. */
  async cleanSession(tx: Transaction, { rowId }: RemovedSession): Promise<undefined> {
    await this.store.release(tx, rowId, this.clock.now());
  }
}

/** The references to attachments in messages, each once, in their order. */
function referencesIn(messages: readonly Message[]): readonly string[] {
  const found = new Set<string>();
  for (const { content } of messages) {
    for (const part of content ?? []) {
      const url = part.type === 'image' ? part.image_url : part.type === 'file' ? part.file_url : null;
      if (typeof url === 'string' && isAttachmentReference(url)) found.add(url);
    }
  }
  return [...found];
}
