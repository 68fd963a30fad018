import type { AttachmentContent } from '../attachment.types.js';

/** Gives model clients the bytes behind a reference that a message holds. */
export abstract class AttachmentReader {
  /**
   * The content, or undefined for an attachment that is gone. Whose it is has been checked before: when
   * the message was accepted, and when the prompt was made.
   */
  abstract read(reference: string): Promise<AttachmentContent | undefined>;
}
