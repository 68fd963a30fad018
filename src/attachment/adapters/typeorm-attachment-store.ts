import { Injectable } from '@nestjs/common';
import { IsNull, LessThanOrEqual, Not } from 'typeorm';
import { AttachmentEntity, Database } from '../../database/index.js';
import type { AttachmentType } from '../attachment-reference.js';
import type { StoredAttachment } from '../attachment.types.js';
import { AttachmentStore } from '../ports/attachment-store.js';

/** Attachments in the ledger. */
@Injectable()
export class TypeOrmAttachmentStore extends AttachmentStore {
  constructor(private readonly database: Database) {
    super();
  }

  async insert(attachment: StoredAttachment): Promise<void> {
    await this.database.write((tx) => tx.manager.insert(AttachmentEntity, { ...attachment }));
  }

  async find(id: string): Promise<StoredAttachment | undefined> {
    const row = await this.database.read.manager.findOneBy(AttachmentEntity, { id });
    return row ? stored(row) : undefined;
  }

  async expired(now: number, limit: number): Promise<readonly StoredAttachment[]> {
    const rows = await this.database.read.manager.find(AttachmentEntity, {
      where: { deleteAfter: LessThanOrEqual(now) },
      order: { deleteAfter: 'ASC', id: 'ASC' },
      take: limit,
    });
    return rows.map(stored);
  }

  async remove(id: string): Promise<void> {
    await this.database.write((tx) => tx.manager.delete(AttachmentEntity, { id, deleteAfter: Not(IsNull()) }));
  }
}

function stored(row: AttachmentEntity): StoredAttachment {
  return { ...row, mimeType: row.mimeType as AttachmentType };
}
