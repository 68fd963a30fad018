import type { Reach } from '../../../common/index.js';
import type { StoredAttachment } from '../attachment.types.js';

/** Which attachments to list. */
export interface AttachmentSearchQuery {
  readonly limit: number;
  /** `nextCursor` of the page before. */
  readonly cursor?: string;
  /** Attachments that may be deleted by now are left out. Milliseconds since the epoch. */
  readonly now: number;
}

/** One page, newest first. */
export interface AttachmentPage {
  readonly items: readonly StoredAttachment[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

/** Lists the attachments of all users within a reach. */
export abstract class AttachmentSearch {
  /** @throws AppError INVALID_PARAMETER for an unknown cursor */
  abstract list(reach: Reach, query: AttachmentSearchQuery): Promise<AttachmentPage>;
}
