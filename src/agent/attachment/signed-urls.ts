import { Injectable } from '@nestjs/common';
import { Clock, type Principal } from '../../common/index.js';
import { Fingerprints, keyFingerprints, keyRing, type ServerKey, ServerSettings } from '../../config/index.js';
import { type AttachmentPath, isOwnPath, isTenantPath, parseReference, referenceOf } from './attachment-reference.js';
import { AttachmentSettings } from './attachment.settings.js';
import type { SignedUrl, StoredAttachment } from './attachment.types.js';
import { PublicAddress } from './public-address.js';
import { type Signature, UrlSigner } from './url-signer.js';

/** The file of the key that a server without configured keys creates. */
const KEY_FILE = 'attachment-signing-key';

/** The path of an attachment's content: `/api/v1/agent/attachments/{id}/content`. */
const CONTENT_PATH = /^\/api\/v1\/agent\/attachments\/([0-9a-f-]{36})\/content$/;

/** A parsed signed URL, not verified. */
export interface ClaimedUrl {
  readonly id: string;
  readonly signature: Signature;
}

/** Creates and parses the signed URLs of attachments (contract runs-api, section 7). */
@Injectable()
export class SignedUrls {
  private made: UrlSigner | undefined;

  constructor(
    private readonly settings: AttachmentSettings,
    private readonly server: ServerSettings,
    private readonly address: PublicAddress,
    private readonly clock: Clock,
    fingerprints: Fingerprints,
  ) {
    const name = 'ATTACHMENT_SIGNING_KEYS';
    fingerprints.add(name, () => keyFingerprints(name, this.keys()));
  }

  /** A new URL of the user's own attachment, which may have been deleted; undefined for any other reference. */
  sign(principal: Principal, reference: string): SignedUrl | undefined {
    const place = parseReference(reference);
    return place && isOwnPath(principal, place.path) ? this.signIn(principal.tenantId, reference) : undefined;
  }

  /** A new URL of an attachment of the tenant, which may have been deleted; undefined for any other reference. */
  signIn(tenantId: string, reference: string): SignedUrl | undefined {
    const place = parseReference(reference);
    return place && isTenantPath(tenantId, place.path) ? this.signedAt(tenantId, place) : undefined;
  }

  /** A new URL of a stored attachment, also of one whose tenant had another id when it was stored. */
  signStored({ tenantId, path }: Pick<StoredAttachment, 'tenantId' | 'path'>): SignedUrl | undefined {
    const place = parseReference(referenceOf(path));
    return place && this.signedAt(tenantId, place);
  }

  private signedAt(tenantId: string, place: AttachmentPath): SignedUrl {
    const exp = Math.floor((this.clock.now() + this.settings.urlTtlMs) / 1000);
    const { kid, sig } = this.signer.sign({ tenantId, path: place.path, exp });
    const url = `${this.address.base}/api/v1/agent/attachments/${place.id}/content?exp=${exp}&kid=${kid}&sig=${sig}`;
    return { url, mimeType: place.mimeType, expiresAt: exp * 1000 };
  }

  /** Parses a URL that a client sent; undefined when it is not one of this server. Nothing is fetched. */
  parse(url: string): ClaimedUrl | undefined {
    const address = URL.canParse(url) ? new URL(url) : undefined;
    if (!address || !/^https?:$/.test(address.protocol) || !this.address.covers(address)) return undefined;
    const { pathname } = new URL(this.address.base);
    const prefix = pathname === '/' ? '' : pathname;
    const path = address.pathname.startsWith(`${prefix}/`) ? address.pathname.slice(prefix.length) : address.pathname;
    const id = CONTENT_PATH.exec(path)?.[1];
    const signature = signatureOf(address.searchParams);
    return id && signature ? { id, signature } : undefined;
  }

  /**
   * Whether a URL has the form of a signed URL and is at an address that this server gives to clients. The signature is
   * not verified: whoever fetches the URL gets nothing without a valid one.
   */
  isAtOwnAddress(url: string): boolean {
    const href = URL.canParse(url) ? new URL(url).href : '';
    return this.parse(url) !== undefined && this.address.bases.some((base) => href.startsWith(`${base}/`));
  }

  /** Whether this server signed the URL of an attachment. It may have expired. */
  isSigned({ tenantId, path }: StoredAttachment, signature: Signature): boolean {
    return this.signer.verify({ tenantId, path, exp: signature.exp }, signature);
  }

  /** Whether the time of a URL is over. */
  isExpired({ exp }: Signature): boolean {
    return exp * 1000 <= this.clock.now();
  }

  private get signer(): UrlSigner {
    this.made ??= new UrlSigner(this.keys());
    return this.made;
  }

  private keys(): readonly ServerKey[] {
    return keyRing(this.settings.signingKeys, this.server.dataDir, KEY_FILE);
  }
}

/** The signature of a query; undefined when a part is missing or malformed. */
export function signatureOf(query: URLSearchParams): Signature | undefined {
  const [exp, kid, sig] = [query.get('exp'), query.get('kid'), query.get('sig')];
  if (exp === null || kid === null || sig === null || !/^\d{1,12}$/.test(exp)) return undefined;
  return { exp: Number(exp), kid, sig };
}
