import type { Principal } from '../../common/index.js';
import type { Queryable } from '../../database/index.js';
import type { Message } from '../../events/index.js';

/** Whose session takes which messages. */
export interface AttachmentBinding {
  readonly principal: Principal;
  readonly sessionRowId: number;
  readonly messages: readonly Message[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Ties attachments to sessions inside the transaction that stores the messages: from then on they are kept. */
export abstract class AttachmentBinder {
  /**
   * Binds the attachments that messages refer to.
   *
   * @throws AppError INVALID_PARAMETER for a reference that is not to a living attachment of this user
   */
  abstract bind(tx: Queryable, binding: AttachmentBinding): Promise<void>;

  /** Binds what one session has to another one that got a copy of its messages. */
  abstract copy(tx: Queryable, fromSessionRowId: number, toSessionRowId: number): Promise<void>;
}
