import type { Principal } from '../../common/index.js';
import type { Transaction } from '../../database/index.js';
import type { StoredLine } from '../audit-line.js';
import type { AuditContent } from '../audit-act.js';

/** A line that is to be written. Users are names here, and pseudonyms in the table. */
export interface NewLine extends Omit<StoredLine, 'no' | 'payloadHash'> {
  readonly tenantId: string;
  /** Whether `actorId` is the name of a user. */
  readonly isActorUser: boolean;
}

/** Writes lines (contract access, section 8): without locks, so that no transaction waits for another's. */
export abstract class AuditLog {
  /** Adds a line, unsealed, with its content, in the transaction of its act. */
  abstract append(tx: Transaction, entry: NewLine, content: AuditContent | undefined): Promise<void>;

  /** Removes the contents of a user, and the names of its pseudonyms. The lines stay. Returns how many of each. */
  abstract eraseUser(
    tx: Transaction,
    user: Principal,
  ): Promise<{ readonly contents: number; readonly pseudonyms: number }>;

  /**
   * True for whoever asks first.
   *
   * @param mark.id at most 36 characters
   * @param mark.expiresAt until when it is remembered, in milliseconds since the epoch
   */
  abstract isFirst(
    tx: Transaction,
    mark: { readonly id: string; readonly tenantId: string; readonly expiresAt: number },
  ): Promise<boolean>;
}
