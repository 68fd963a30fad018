import { Injectable } from '@nestjs/common';
import { In, IsNull, LessThanOrEqual, MoreThan, Not } from 'typeorm';
import {
  AttachmentBindingEntity,
  AttachmentEntity,
  Database,
  queryable,
  refuseErased,
  type Transaction,
} from '../../../database/index.js';
import type { Principal } from '../../../common/index.js';
import type { StoredAttachment } from '../attachment.types.js';
import { AttachmentStore, type BoundAttachment } from '../ports/attachment-store.js';
import { storedAttachment } from './attachment-row.js';

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

/** Attachments and their bindings in the ledger. */
@Injectable()
export class TypeOrmAttachmentStore extends AttachmentStore {
  constructor(private readonly database: Database) {
    super();
  }

  async insert(attachment: StoredAttachment): Promise<void> {
    await this.database.write(async (tx) => {
      await tx.manager.insert(AttachmentEntity, { ...attachment });
      await refuseErased(tx, attachment);
    });
  }

  async ofUser({ tenantId, userId }: Principal, limit: number): Promise<readonly StoredAttachment[]> {
    const found = await this.database.forRuns.read.manager.find(AttachmentEntity, {
      where: { tenantId, userId },
      take: limit,
    });
    return found.map(storedAttachment);
  }

  async removeAll(
    tx: Transaction,
    ids: readonly string[],
  ): Promise<{ readonly attachments: number; readonly bindings: number }> {
    const { manager } = queryable(tx);
    const bindings = await manager.delete(AttachmentBindingEntity, { attachmentId: In([...ids]) });
    const attachments = await manager.delete(AttachmentEntity, { id: In([...ids]) });
    return { attachments: attachments.affected ?? 0, bindings: bindings.affected ?? 0 };
  }

  async find(id: string): Promise<StoredAttachment | undefined> {
    const found = await this.database.read.manager.findOneBy(AttachmentEntity, { id });
    return found ? storedAttachment(found) : undefined;
  }

  async expired(now: number, limit: number): Promise<readonly StoredAttachment[]> {
    const found = await this.database.forRuns.read.manager.find(AttachmentEntity, {
      where: { deleteAfter: LessThanOrEqual(now) },
      order: { deleteAfter: 'ASC', id: 'ASC' },
      take: limit,
    });
    return found.map(storedAttachment);
  }

  async remove(id: string): Promise<void> {
    await this.database.write((tx) => tx.manager.delete(AttachmentEntity, { id, deleteAfter: Not(IsNull()) }));
  }

  async bind(tx: Transaction, { id, tenantId, userId, path, sessionRowId, now }: BoundAttachment): Promise<boolean> {
    const owned = { id, tenantId, path, ...(userId !== undefined && { userId }) };
    // The row is kept for as long as a session is bound to it.
    const kept = await queryable(tx).manager.update(
      AttachmentEntity,
      [
        { ...owned, deleteAfter: IsNull() },
        { ...owned, deleteAfter: MoreThan(now) },
      ],
      { deleteAfter: null },
    );
    if (kept.affected === 0) return false;
    await queryable(tx).run(BIND, [sessionRowId, id]);
    return true;
  }

  async copyBindings(tx: Transaction, fromSessionRowId: number, toSessionRowId: number): Promise<void> {
    await queryable(tx).run(COPY, [toSessionRowId, fromSessionRowId]);
  }

  async release(tx: Transaction, sessionRowId: number, now: number): Promise<void> {
    await queryable(tx).run(RELEASE, [now, sessionRowId, sessionRowId]);
    await queryable(tx).manager.delete(AttachmentBindingEntity, { sessionRowId });
  }
}
