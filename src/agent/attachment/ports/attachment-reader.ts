import type { AttachmentContent } from '../attachment.types.js';

/** Reads the content of attachments for model clients. */
export abstract class AttachmentReader {
  /**
   * The content behind a reference in a message; undefined when it was deleted. The owner was checked when the
   * message was accepted, and when the prompt was written.
   */
  abstract read(reference: string): Promise<AttachmentContent | undefined>;
}
