import { createHash } from 'node:crypto';
import type { Principal } from '../../common/index.js';

const SCHEME = 'parley-attachment:';
const ROOT = 'agent-inputs';
/** No path of an attachment begins so. */
const UNKNOWN = `${SCHEME}unknown/`;
const PLAIN_SEGMENT = /^[A-Za-z0-9_-][A-Za-z0-9_.@-]{0,99}$/;
const FILE = /\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([a-z]{3,4})$/;
/** An address of content, signed or not. */
const CONTENT_ADDRESS = /\/api\/v1\/agent\/attachments\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/content(?:\?|$)/;

/** The extension of each accepted media type (contract runs-api, section 7). */
export const EXTENSION_OF_TYPE = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/heic': 'heic',
  'image/avif': 'avif',
} as const;

/** A media type that can be attached. */
export type AttachmentType = keyof typeof EXTENSION_OF_TYPE;

const TYPE_OF_EXTENSION = new Map(
  Object.entries(EXTENSION_OF_TYPE).map(([type, extension]) => [extension as string, type as AttachmentType]),
);

/** The parts of an attachment's path. */
export interface AttachmentPath {
  readonly path: string;
  /** UUID */
  readonly id: string;
  readonly mimeType: AttachmentType;
}

/** The path of a new attachment: `agent-inputs/{tenant}/{user}/{yyyy}/{mm}/{id}.{ext}`. @param now milliseconds since the epoch */
export function storagePath(principal: Principal, id: string, mimeType: AttachmentType, now: number): string {
  const [year, month] = new Date(now).toISOString().split('-');
  return `${ownersFolder(principal)}${year}/${month}/${id}.${EXTENSION_OF_TYPE[mimeType]}`;
}

/** The reference to an attachment in a message. No wire accepts one from a client. */
export function referenceOf(path: string): string {
  return `${SCHEME}${path}`;
}

/** A reference to an attachment that does not exist. @param id that of the address that seemed to name one */
export function unknownReference(id: string): string {
  return `${UNKNOWN}${id}`;
}

/** Parses a reference in a message; undefined for any other URL. */
export function parseReference(url: string): AttachmentPath | undefined {
  if (!isAttachmentReference(url)) return undefined;
  const path = url.slice(SCHEME.length);
  const [, id, extension = ''] = FILE.exec(path) ?? [];
  const mimeType = TYPE_OF_EXTENSION.get(extension);
  return id && mimeType && isInside(path) ? { path, id, mimeType } : undefined;
}

/** True for every URL with the scheme of references, including malformed ones. */
export function isAttachmentReference(url: string): boolean {
  return url.startsWith(SCHEME);
}

/**
 * What an address of an image names, whatever its form and signature: the id of an attachment for a reference and for
 * addresses of its content, of any server; any other address as it is.
 */
export function addressKey(url: string): string {
  const unknown = url.startsWith(UNKNOWN) ? url.slice(UNKNOWN.length) : undefined;
  const id = unknown ?? parseReference(url)?.id ?? CONTENT_ADDRESS.exec(url)?.[1];
  return id === undefined ? url : `${SCHEME}${id}`;
}

/** True when an attachment of this path belongs to a user of the tenant. */
export function isTenantPath(tenantId: string, path: string): boolean {
  return path.startsWith(`${ROOT}/${segment(tenantId)}/`) && isInside(path);
}

/** True when an attachment of this path belongs to the user. */
export function isOwnPath(principal: Principal, path: string): boolean {
  return path.startsWith(ownersFolder(principal)) && isInside(path);
}

function ownersFolder({ tenantId, userId }: Principal): string {
  return `${ROOT}/${segment(tenantId)}/${segment(userId)}/`;
}

/** An id as a folder name; an id with other characters is replaced by `~` and its hash. */
function segment(id: string): string {
  return PLAIN_SEGMENT.test(id) ? id : `~${createHash('sha256').update(id).digest('hex').slice(0, 40)}`;
}

function isInside(path: string): boolean {
  return path.split('/').every((part) => part !== '' && !/^\.+$/.test(part) && !part.includes('\\'));
}
