import { createHash, randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { AppError, Clock, type Principal } from '../common/index.js';
import { AttachmentReader } from './ports/attachment-reader.js';
import { parseReference, referenceOf, storagePath } from './attachment-reference.js';
import { AttachmentUrls } from './attachment-urls.js';
import { AttachmentSettings } from './attachment.settings.js';
import type { AttachmentContent, SignedUrl, StoredAttachment, UploadedFile } from './attachment.types.js';
import { checkedImage } from './checked-image.js';
import { safeFilename } from './safe-filename.js';
import { AttachmentStore } from './ports/attachment-store.js';
import { ObjectStore } from './ports/object-store.js';
import type { Signature } from './url-signer.js';

/** After so many seconds a client may try again when the store was away. */
const RETRY_SECONDS = 5;

/** Attachments: upload, signed addresses, and the bytes for models. */
@Injectable()
export class AttachmentService extends AttachmentReader {
  private readonly logger = new Logger(AttachmentService.name);

  constructor(
    private readonly store: AttachmentStore,
    private readonly objects: ObjectStore,
    private readonly urls: AttachmentUrls,
    private readonly settings: AttachmentSettings,
    private readonly clock: Clock,
  ) {
    super();
  }

  /**
   * Keeps a file of a user. Unless a message refers to it, it is deleted after a day.
   *
   * @throws AppError ATTACHMENT_EMPTY, ATTACHMENT_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, ATTACHMENT_INVALID; then nothing is kept;
   *   ATTACHMENT_STORE_ERROR
   */
  async upload(principal: Principal, file: UploadedFile): Promise<{ attachment: StoredAttachment; signed: SignedUrl }> {
    const { mimeType, width, height } = checkedImage(file, this.settings.maxBytes);
    const [id, now] = [randomUUID(), this.clock.now()];
    const attachment: StoredAttachment = {
      id,
      ...principal,
      path: storagePath(principal, id, mimeType, now),
      mimeType,
      filename: safeFilename(file.filename, mimeType),
      size: file.bytes.length,
      sha256: createHash('sha256').update(file.bytes).digest('hex'),
      width,
      height,
      createdAt: now,
      deleteAfter: now + this.settings.unboundTtlMs,
    };
    // The row comes first: should the process stop now, the sweeper finds what there is to delete.
    await this.store.insert(attachment);
    await this.stored(this.objects.put(attachment.path, file.bytes, mimeType));
    const signed = this.sign(principal, referenceOf(attachment.path));
    if (!signed) throw new Error(`The path ${attachment.path} is not its owner's`);
    return { attachment, signed };
  }

  /**
   * The reference by which messages name the attachment behind a signed URL that a client gave: ours,
   * signed, not expired, the user's own and of that media type. Undefined for any other URL. Nothing is
   * fetched. The reference is bound to its session when a run with it is accepted.
   *
   * @param mimeType as the client declared it; undefined when it declared none
   */
  async resolve(principal: Principal, url: string, mimeType?: string): Promise<string | undefined> {
    const claimed = this.urls.parse(url);
    const attachment = claimed && (await this.living(claimed.id));
    if (!attachment) return undefined;
    try {
      this.urls.verify(attachment, claimed.signature);
    } catch (error) {
      if (error instanceof AppError) return undefined;
      throw error;
    }
    const isOwn = attachment.tenantId === principal.tenantId && attachment.userId === principal.userId;
    const isOfType = mimeType === undefined || mimeType.toLowerCase() === attachment.mimeType;
    return isOwn && isOfType ? referenceOf(attachment.path) : undefined;
  }

  /** A fresh address of the user's own attachment; undefined for any other reference. */
  sign(principal: Principal, reference: string): SignedUrl | undefined {
    return this.urls.sign(principal, reference);
  }

  /** The content behind a reference, or undefined when it is gone. @throws AppError ATTACHMENT_STORE_ERROR */
  async read(reference: string): Promise<AttachmentContent | undefined> {
    const place = parseReference(reference);
    const bytes = place && (await this.stored(this.objects.get(place.path)));
    return bytes && { bytes, mimeType: place.mimeType };
  }

  /**
   * The content for the holder of a signature.
   *
   * @throws AppError ATTACHMENT_NOT_FOUND, INVALID_SIGNATURE, SIGNATURE_EXPIRED, ATTACHMENT_STORE_ERROR
   */
  async open(id: string, signature: Signature | undefined): Promise<{ attachment: StoredAttachment; bytes: Buffer }> {
    const attachment = await this.living(id);
    if (!attachment) throw new AppError('ATTACHMENT_NOT_FOUND');
    if (!signature) throw new AppError('INVALID_SIGNATURE');
    this.urls.verify(attachment, signature);
    const bytes = await this.stored(this.objects.get(attachment.path));
    if (!bytes) throw new AppError('ATTACHMENT_NOT_FOUND');
    return { attachment, bytes };
  }

  /** What the store says of itself is for the log: it may name hosts and keys. */
  private async stored<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (cause) {
      this.logger.error(
        `The attachment store failed: ${cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)}`,
      );
      throw new AppError('ATTACHMENT_STORE_ERROR', undefined, { cause, retryAfterSeconds: RETRY_SECONDS });
    }
  }

  private async living(id: string): Promise<StoredAttachment | undefined> {
    const attachment = await this.store.find(id);
    const isOver = attachment && attachment.deleteAfter !== null && attachment.deleteAfter <= this.clock.now();
    return isOver ? undefined : attachment;
  }
}
