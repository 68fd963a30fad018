import type { Principal } from '../../../common/index.js';
import type { Transaction } from '../../../database/index.js';
import type { StoredAttachment } from '../attachment.types.js';

/** An attachment that is bound to a session. */
export interface BoundAttachment extends Pick<Principal, 'tenantId'> {
  /** Its owner; undefined: any user of the tenant. */
  readonly userId: string | undefined;
  /** UUID */
  readonly id: string;
  readonly path: string;
  readonly sessionRowId: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The rows of attachments, and which sessions they are bound to. Their bytes are in the `ObjectStore`. */
export abstract class AttachmentStore {
  /** @throws AppError SESSION_BUSY while the owner's data is being erased */
  abstract insert(attachment: StoredAttachment): Promise<void>;

  abstract find(id: string): Promise<StoredAttachment | undefined>;

  /** Some attachments of a user, expired ones included. */
  abstract ofUser(owner: Principal, limit: number): Promise<readonly StoredAttachment[]>;

  /** Removes the rows of attachments with their bindings. Returns how many of each. */
  abstract removeAll(
    tx: Transaction,
    ids: readonly string[],
  ): Promise<{ readonly attachments: number; readonly bindings: number }>;

  /** Attachments that may be deleted, oldest first. @param now milliseconds since the epoch */
  abstract expired(now: number, limit: number): Promise<readonly StoredAttachment[]>;

  /** Removes the row of an expired attachment. */
  abstract remove(id: string): Promise<void>;

  /** Binds an attachment to a session. Returns false when its owner has no such attachment or it has expired. */
  abstract bind(tx: Transaction, attachment: BoundAttachment): Promise<boolean>;

  /** Binds the attachments of one session to another one. */
  abstract copyBindings(tx: Transaction, fromSessionRowId: number, toSessionRowId: number): Promise<void>;

  /** Removes the bindings of a session. Attachments that no other session is bound to expire now. */
  abstract release(tx: Transaction, sessionRowId: number, now: number): Promise<void>;
}
