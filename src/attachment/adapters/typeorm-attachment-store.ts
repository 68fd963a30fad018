import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import { AttachmentEntity, Database, queryable, type Transaction } from '../../database/index.js';
import type { StoredAttachment } from '../attachment.types.js';
import { AttachmentStore, type BoundAttachment } from '../ports/attachment-store.js';
import { ATTACHMENT_COLUMNS, type AttachmentRow, storedAttachment } from './attachment-row.js';

const FIND = `SELECT ${ATTACHMENT_COLUMNS} FROM attachments WHERE id = ?`;

const EXPIRED = `
  SELECT ${ATTACHMENT_COLUMNS} FROM attachments WHERE delete_after <= ? ORDER BY delete_after, id LIMIT ?`;

/** The row is kept for as long as a session is bound to it. */
const KEEP = `
  UPDATE attachments SET delete_after = NULL
  WHERE id = ? AND tenant_id = ? AND user_id = COALESCE(?, user_id) AND path = ? AND (delete_after IS NULL OR delete_after > ?)`;

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

/** Attachments and their bindings in the ledger. */
@Injectable()
export class TypeOrmAttachmentStore extends AttachmentStore {
  constructor(private readonly database: Database) {
    super();
  }

  async insert(attachment: StoredAttachment): Promise<void> {
    await this.database.write((tx) => tx.manager.insert(AttachmentEntity, { ...attachment }));
  }

  async find(id: string): Promise<StoredAttachment | undefined> {
    const [row] = await this.database.read.all<AttachmentRow>(FIND, [id]);
    return row && storedAttachment(row);
  }

  async expired(now: number, limit: number): Promise<readonly StoredAttachment[]> {
    return (await this.database.patientRead.all<AttachmentRow>(EXPIRED, [now, limit])).map(storedAttachment);
  }

  async remove(id: string): Promise<void> {
    await this.database.write((tx) => tx.manager.delete(AttachmentEntity, { id, deleteAfter: Not(IsNull()) }));
  }

  async bind(tx: Transaction, { id, tenantId, userId, path, sessionRowId, now }: BoundAttachment): Promise<boolean> {
    const kept = await queryable(tx).run(KEEP, [id, tenantId, userId ?? null, path, now]);
    if (kept === 0) return false;
    await queryable(tx).run(BIND, [sessionRowId, id]);
    return true;
  }

  async copyBindings(tx: Transaction, fromSessionRowId: number, toSessionRowId: number): Promise<void> {
    await queryable(tx).run(COPY, [toSessionRowId, fromSessionRowId]);
  }

  async release(tx: Transaction, sessionRowId: number, now: number): Promise<void> {
    await queryable(tx).run(RELEASE, [now, sessionRowId, sessionRowId]);
    await queryable(tx).run(UNBIND, [sessionRowId]);
  }
}
