import type { SignedUrl } from '../attachment.types.js';
import { AttachmentReader } from './attachment-reader.js';

/** Gives attachments to other servers: as bytes, or at an address. */
export abstract class AttachmentSource extends AttachmentReader {
  /**
   * A new signed URL of the content behind a reference, for a server that fetches it; undefined when it was deleted. The
   * owner was checked as for `read`.
   */
  abstract signedUrl(reference: string): Promise<SignedUrl | undefined>;
}
