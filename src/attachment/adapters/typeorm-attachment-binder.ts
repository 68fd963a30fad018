import { Injectable } from '@nestjs/common';
import { AppError, Clock, type Principal } from '../../common/index.js';
import { queryable, type Transaction } from '../../database/index.js';
import type { RemovedSession, SessionCleaner } from '../../session/index.js';
import { AttachmentBinder, type AttachmentBinding } from '../ports/attachment-binder.js';
import { type AttachmentPath, isOwnPath, parseReference } from '../attachment-reference.js';
import { referencesIn } from '../message-references.js';

/** The row is kept for as long as a session is bound to it. */
const KEEP = `
  UPDATE attachments SET delete_after = NULL
  WHERE id = ? AND tenant_id = ? AND user_id = ? AND path = ? AND (delete_after IS NULL OR delete_after > ?)`;

const BIND = `
  INSERT INTO attachment_bindings (session_no, attachment_id) VALUES (?, ?)
  ON CONFLICT (session_no, attachment_id) DO NOTHING`;

const COPY = `
  INSERT INTO attachment_bindings (session_no, attachment_id)
  SELECT CAST(? AS integer), attachment_id FROM attachment_bindings WHERE session_no = ?`;

const RELEASE = `
  UPDATE attachments SET delete_after = ?
  WHERE id IN (SELECT attachment_id FROM attachment_bindings WHERE session_no = ?)
    AND NOT EXISTS (
      SELECT 1 FROM attachment_bindings other
      WHERE other.attachment_id = attachments.id AND other.session_no <> ?)`;

const UNBIND = 'DELETE FROM attachment_bindings WHERE session_no = ?';

/** Bindings in the ledger. Attachments of a removed session are released for the sweeper. */
@Injectable()
export class TypeOrmAttachmentBinder extends AttachmentBinder implements SessionCleaner {
  constructor(private readonly clock: Clock) {
    super();
  }

  async bind(tx: Transaction, { principal, sessionRowId, messages, now }: AttachmentBinding): Promise<void> {
    for (const reference of referencesIn(messages)) {
      const place = parseReference(reference);
      if (!place || !(await this.keep(tx, principal, place, now))) {
        throw new AppError('INVALID_PARAMETER', 'The attachment is not known');
      }
      await queryable(tx).run(BIND, [sessionRowId, place.id]);
    }
  }

  async copy(tx: Transaction, fromSessionRowId: number, toSessionRowId: number): Promise<void> {
    await queryable(tx).run(COPY, [toSessionRowId, fromSessionRowId]);
  }

  async cleanSession(tx: Transaction, { rowId }: RemovedSession): Promise<undefined> {
    await queryable(tx).run(RELEASE, [this.clock.now(), rowId, rowId]);
    await queryable(tx).run(UNBIND, [rowId]);
  }

  private async keep(
    tx: Transaction,
    principal: Principal,
    { id, path }: AttachmentPath,
    now: number,
  ): Promise<boolean> {
    if (!isOwnPath(principal, path)) return false;
    return (await queryable(tx).run(KEEP, [id, principal.tenantId, principal.userId, path, now])) === 1;
  }
}
