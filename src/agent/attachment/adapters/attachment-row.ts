import type { AttachmentEntity } from '../../../database/index.js';
import type { AttachmentType } from '../attachment-reference.js';
import type { StoredAttachment } from '../attachment.types.js';

/** The attachment of a row. */
export function storedAttachment(row: AttachmentEntity): StoredAttachment {
  return { ...row, mimeType: row.mimeType as AttachmentType };
}
