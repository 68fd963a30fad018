import type { AttachmentType } from '../attachment-reference.js';
import type { StoredAttachment } from '../attachment.types.js';

/** What a statement selects of `attachments` for `storedAttachment`. */
export const ATTACHMENT_COLUMNS = `id, tenant_id AS "tenantId", user_id AS "userId", path, mime_type AS "mimeType", filename,
  size, sha256, width, height, created_at AS "createdAt", delete_after AS "deleteAfter"`;

/** A row of `attachments` as the database returns it. */
export type AttachmentRow = Omit<StoredAttachment, 'mimeType'> & { readonly mimeType: string };

/** The attachment of a row. */
export function storedAttachment(row: AttachmentRow): StoredAttachment {
  const deleteAfter = row.deleteAfter === null ? null : Number(row.deleteAfter);
  return { ...row, mimeType: row.mimeType as AttachmentType, createdAt: Number(row.createdAt), deleteAfter };
}
