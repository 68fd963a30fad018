import type { StoredAttachment } from '../attachment.types.js';

/** What is known of attachments beside their bytes. */
export abstract class AttachmentStore {
  abstract insert(attachment: StoredAttachment): Promise<void>;

  abstract find(id: string): Promise<StoredAttachment | undefined>;

  /** Those that may be deleted, oldest first. @param now milliseconds */
  abstract expired(now: number, limit: number): Promise<readonly StoredAttachment[]>;

  /** Forgets an attachment. */
  abstract remove(id: string): Promise<void>;
}
