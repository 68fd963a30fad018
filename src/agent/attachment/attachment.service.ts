import { createHash, randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { AppError, type Principal, RETRY_AFTER_SECONDS } from '../../common/index.js';
import {
  type AttachmentType,
  EXTENSION_OF_TYPE,
  parseReference,
  referenceOf,
  storagePath,
  unknownReference,
} from './attachment-reference.js';
import { SignedUrls } from './signed-urls.js';
import { AttachmentSettings } from './attachment.settings.js';
import { AttachmentTimes } from './attachment-times.js';
import type { AttachmentContent, SignedUrl, StoredAttachment, UploadedFile } from './attachment.types.js';
import { checkedImage } from './checked-image.js';
import { AttachmentSource } from './ports/attachment-source.js';
import { AttachmentStore } from './ports/attachment-store.js';
import { ObjectStore } from './ports/object-store.js';
import type { LocatedAttachment, MessageSender } from './message-attachments.js';
import type { Signature } from './url-signer.js';

/** The longest file name that is stored, in characters. */
const FILENAME_LIMIT = 200;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Signed URLs are shorter, in characters. */
const LONGEST_URL = 4096;

/** Attachments: upload, signed URLs, and the content for models. */
@Injectable()
export class AttachmentService extends AttachmentSource {
  private readonly logger = new Logger(AttachmentService.name);

  constructor(
    private readonly store: AttachmentStore,
    private readonly objects: ObjectStore,
    private readonly urls: SignedUrls,
    private readonly settings: AttachmentSettings,
    private readonly times: AttachmentTimes,
  ) {
    super();
  }

  /**
   * Stores a file of a user. It is deleted after the tenant's time for uploads unless a message refers to it.
   *
   * @throws AppError ATTACHMENT_EMPTY, ATTACHMENT_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, ATTACHMENT_INVALID; then nothing is stored;
   *   ATTACHMENT_STORE_ERROR; SESSION_BUSY while the user's data is being erased
   */
  async upload(principal: Principal, file: UploadedFile): Promise<{ attachment: StoredAttachment; signed: SignedUrl }> {
    const { mimeType, width, height } = checkedImage(file, this.settings.maxBytes);
    const [id, now] = [randomUUID(), this.times.now()];
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
      deleteAfter: await this.times.unboundUntil(principal.tenantId, now),
    };
    // The row is written first: if the process stops now, the object is removed when the attachment expires.
    await this.store.insert(attachment);
    await this.stored(this.objects.put(attachment.path, file.bytes, mimeType, principal.tenantId));
    // An erasure that began meanwhile may have looked for the file before it was there.
    if (!(await this.store.find(id))) {
      await this.stored(this.objects.remove(attachment.path));
      throw new AppError('ATTACHMENT_NOT_FOUND', 'The attachment was removed while it was stored');
    }
    const signed = this.sign(principal, referenceOf(attachment.path));
    if (!signed) throw new Error(`The path ${attachment.path} is not its owner's`);
    return { attachment, signed };
  }

  /**
   * The reference to the attachment behind a signed URL that a client sent, if the URL is of this server, signed, not
   * expired, and the attachment is the user's own and has that media type. Undefined for any other URL. Nothing is
   * fetched. The attachment is bound to its session when a run with the reference is accepted.
   *
   * @param mimeType as the client declared it; undefined without a declaration
   */
  async resolve(principal: Principal, url: string, mimeType?: string): Promise<string | undefined> {
    const claimed = this.urls.parse(url);
    const attachment = claimed && (await this.living(claimed.id));
    if (!attachment) return undefined;
    const isSigned = this.urls.isSigned(attachment, claimed.signature) && !this.urls.isExpired(claimed.signature);
    const isOwn = attachment.tenantId === principal.tenantId && attachment.userId === principal.userId;
    const isOfType = mimeType === undefined || mimeType.toLowerCase() === attachment.mimeType;
    return isSigned && isOwn && isOfType ? referenceOf(attachment.path) : undefined;
  }

  /**
   * The reference for a signed URL of a client that names an attachment of this server, which may have expired: to the
   * attachment, if the sender may use it, otherwise to none. Undefined for all other URLs. Nothing is fetched.
   */
  async locate(url: string, { owner, isAuthenticated }: MessageSender): Promise<LocatedAttachment | undefined> {
    // Addresses that hold their data are long, and none of this server.
    const claimed = url.length > LONGEST_URL ? undefined : this.urls.parse(url);
    if (!claimed) return undefined;
    const attachment = await this.living(claimed.id);
    const isSigned = attachment !== undefined && this.urls.isSigned(attachment, claimed.signature);
    // Without a configured address any server may be meant.
    if (!isSigned && !this.urls.isAtOwnAddress(url)) return undefined;
    const isOwn = attachment?.userId === owner.userId;
    const isUsable = isSigned && attachment.tenantId === owner.tenantId && (isOwn || !isAuthenticated);
    if (!isUsable) return { reference: unknownReference(claimed.id), isForeign: false };
    return { reference: referenceOf(attachment.path), isForeign: !isOwn };
  }

  /** A new signed URL of an attachment of the tenant, for whoever may read the message that refers to it. */
  signIn(tenantId: string, reference: string): SignedUrl | undefined {
    return this.urls.signIn(tenantId, reference);
  }

  /** The reference to the user's own attachment with an id; undefined for any other id. */
  async referenceTo({ tenantId, userId }: Principal, id: string): Promise<string | undefined> {
    const attachment = ID.test(id) ? await this.living(id) : undefined;
    const isOwn = attachment?.tenantId === tenantId && attachment.userId === userId;
    return isOwn ? referenceOf(attachment.path) : undefined;
  }

  /** A new signed URL of the user's own attachment; undefined for any other reference. */
  sign(principal: Principal, reference: string): SignedUrl | undefined {
    return this.urls.sign(principal, reference);
  }

  /** A new signed URL of a stored attachment. */
  signStored(attachment: StoredAttachment): SignedUrl | undefined {
    return this.urls.signStored(attachment);
  }

  /** The content behind a reference; undefined when it was deleted. @throws AppError ATTACHMENT_STORE_ERROR */
  async read(reference: string): Promise<AttachmentContent | undefined> {
    const place = parseReference(reference);
    const bytes = place && (await this.stored(this.objects.get(place.path)));
    return bytes && { bytes, mimeType: place.mimeType };
  }

  async signedUrl(reference: string): Promise<SignedUrl | undefined> {
    const place = parseReference(reference);
    const attachment = place && (await this.living(place.id));
    return attachment?.path === place?.path && attachment
      ? this.urls.signIn(attachment.tenantId, reference)
      : undefined;
  }

  /**
   * The content for the holder of a signature. Without a valid one, an id that exists is an unknown one.
   *
   * @throws AppError ATTACHMENT_NOT_FOUND, SIGNATURE_EXPIRED, ATTACHMENT_STORE_ERROR
   */
  async open(id: string, signature: Signature | undefined): Promise<{ attachment: StoredAttachment; bytes: Buffer }> {
    const attachment = await this.living(id);
    if (!attachment || !signature || !this.urls.isSigned(attachment, signature)) {
      throw new AppError('ATTACHMENT_NOT_FOUND');
    }
    if (this.urls.isExpired(signature)) throw new AppError('SIGNATURE_EXPIRED');
    const bytes = await this.stored(this.objects.get(attachment.path));
    if (!bytes) throw new AppError('ATTACHMENT_NOT_FOUND');
    return { attachment, bytes };
  }

  /** Logs the error of the store instead of returning it: it may contain host names and keys. */
  private async stored<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (cause) {
      this.logger.error(
        `The attachment store failed: ${cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)}`,
      );
      throw new AppError('ATTACHMENT_STORE_ERROR', undefined, { cause, retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
  }

  private async living(id: string): Promise<StoredAttachment | undefined> {
    const attachment = await this.store.find(id);
    const isOver = attachment && attachment.deleteAfter !== null && attachment.deleteAfter <= this.times.now();
    return isOver ? undefined : attachment;
  }
}

/** The file name that a client sent, without folders and unsafe characters. */
function safeFilename(given: string, mimeType: AttachmentType): string {
  const name = given
    .replace(/^.*[\\/]/s, '')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}"<>|?*:]/gu, '')
    .trim()
    .replace(/^\.+/, '');
  const short = Array.from(name).slice(0, FILENAME_LIMIT).join('');
  return short === '' ? `image.${EXTENSION_OF_TYPE[mimeType]}` : short;
}
