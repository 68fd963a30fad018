import type { AttachmentType } from './attachment-reference.js';

/** A stored attachment. Times are milliseconds since the epoch. */
export interface StoredAttachment {
  /** UUID */
  readonly id: string;
  readonly tenantId: string;
  readonly userId: string;
  readonly path: string;
  readonly mimeType: AttachmentType;
  readonly filename: string;
  /** Bytes. */
  readonly size: number;
  /** Hex. */
  readonly sha256: string;
  readonly width: number;
  readonly height: number;
  readonly createdAt: number;
  /** When it may be deleted; null while a session needs it. */
  readonly deleteAfter: number | null;
}

/** A URL that returns the content to anyone who has it, until it expires. */
export interface SignedUrl {
  readonly url: string;
  readonly mimeType: AttachmentType;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** A file as a client sent it. */
export interface UploadedFile {
  readonly bytes: Buffer;
  readonly filename: string;
  /** The media type that the client declared; undefined without a declaration. */
  readonly declaredType: string | undefined;
}

/** The content of an attachment. */
export interface AttachmentContent {
  readonly bytes: Buffer;
  readonly mimeType: AttachmentType;
}
