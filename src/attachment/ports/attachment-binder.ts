import type { Principal } from '../../common/index.js';
import type { Transaction } from '../../database/index.js';
import type { Message } from '../../events/index.js';

/** Messages that join a session, and whose session it is. */
export interface AttachmentBinding {
  readonly principal: Principal;
  readonly sessionRowId: number;
  readonly messages: readonly Message[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Binds attachments to sessions in the transaction that stores the messages: bound attachments are kept. */
export abstract class AttachmentBinder {
  /**
   * Binds the attachments that messages refer to.
   *
   * @throws AppError INVALID_PARAMETER for a reference to an attachment that does not exist or is another user's
   */
  abstract bind(tx: Transaction, binding: AttachmentBinding): Promise<void>;

  /** Binds the attachments of one session to another one that got a copy of its messages. */
  abstract copy(tx: Transaction, fromSessionRowId: number, toSessionRowId: number): Promise<void>;
}
