import { Injectable } from '@nestjs/common';
import { Brackets } from 'typeorm';
import { AppError, type Reach } from '../../../common/index.js';
import { AttachmentEntity, ownedWithin, RequestDatabase } from '../../../database/index.js';
import type { StoredAttachment } from '../attachment.types.js';
import { type AttachmentPage, AttachmentSearch, type AttachmentSearchQuery } from '../ports/attachment-search.js';
import { storedAttachment } from './attachment-row.js';

/** Lists of attachments in the ledger. */
@Injectable()
export class TypeOrmAttachmentSearch extends AttachmentSearch {
  constructor(private readonly database: RequestDatabase) {
    super();
  }

  async list(reach: Reach, { limit, cursor, now }: AttachmentSearchQuery): Promise<AttachmentPage> {
    const after = cursor === undefined ? undefined : readCursor(cursor);
    const owned = ownedWithin(reach);
    if (!owned) return { items: [] };
    const kept = new Brackets((or) =>
      or.where('attachment.deleteAfter IS NULL').orWhere('attachment.deleteAfter > :now', { now }),
    );
    const query = this.database.read.manager
      .createQueryBuilder(AttachmentEntity, 'attachment')
      .where(owned)
      .andWhere(kept)
      .orderBy('attachment.createdAt', 'DESC')
      .addOrderBy('attachment.id', 'DESC')
      .limit(limit + 1);
    if (after) query.andWhere('(attachment.createdAt, attachment.id) < (:createdAt, :id)', after);
    const rows = await query.getMany();
    const items = rows.slice(0, limit).map(storedAttachment);
    const last = items.at(-1);
    return rows.length > limit && last ? { items, nextCursor: cursorAfter(last) } : { items };
  }
}

function cursorAfter({ createdAt, id }: StoredAttachment): string {
  return Buffer.from(`${createdAt}.${id}`).toString('base64url');
}

/** @throws AppError INVALID_PARAMETER */
function readCursor(cursor: string): { readonly createdAt: number; readonly id: string } {
  const match = /^(\d{1,16})\.([0-9a-f-]{36})$/.exec(Buffer.from(cursor, 'base64url').toString());
  if (!match) throw new AppError('INVALID_PARAMETER', 'Unknown cursor');
  return { createdAt: Number(match[1]), id: match[2] ?? '' };
}
