import { Injectable } from '@nestjs/common';
import { AppError, type Reach } from '../../common/index.js';
import { Database, reachCondition } from '../../database/index.js';
import type { StoredAttachment } from '../attachment.types.js';
import { type AttachmentPage, AttachmentSearch, type AttachmentSearchQuery } from '../ports/attachment-search.js';
import { ATTACHMENT_COLUMNS, type AttachmentRow, storedAttachment } from './attachment-row.js';

/** Lists of attachments in the ledger. */
@Injectable()
export class TypeOrmAttachmentSearch extends AttachmentSearch {
  constructor(private readonly database: Database) {
    super();
  }

  async list(reach: Reach, { limit, cursor, now }: AttachmentSearchQuery): Promise<AttachmentPage> {
    const owner = reachCondition(reach);
    const after = cursor === undefined ? [] : readCursor(cursor);
    const where = owner.sql + (cursor === undefined ? '' : ' AND (created_at, id) < (?, ?)');
    const rows = await this.database.read.all<AttachmentRow>(
      `SELECT ${ATTACHMENT_COLUMNS} FROM attachments
       WHERE ${where} AND (delete_after IS NULL OR delete_after > ?)
       ORDER BY created_at DESC, id DESC LIMIT ?`,
      [...owner.values, ...after, now, limit + 1],
    );
    const items = rows.slice(0, limit).map(storedAttachment);
    const last = items.at(-1);
    return rows.length > limit && last ? { items, nextCursor: cursorAfter(last) } : { items };
  }
}

function cursorAfter({ createdAt, id }: StoredAttachment): string {
  return Buffer.from(`${createdAt}.${id}`).toString('base64url');
}

/** @throws AppError INVALID_PARAMETER */
function readCursor(cursor: string): [createdAt: number, id: string] {
  const match = /^(\d{1,16})\.([0-9a-f-]{36})$/.exec(Buffer.from(cursor, 'base64url').toString());
  if (!match) throw new AppError('INVALID_PARAMETER', 'Unknown cursor');
  return [Number(match[1]), match[2] ?? ''];
}
