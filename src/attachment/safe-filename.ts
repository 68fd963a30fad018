import type { AttachmentType } from './attachment-reference.js';
import { EXTENSION_OF_TYPE } from './attachment-reference.js';

const LONGEST = 200;

/** The name that a client gave to a file, without folders and characters that no name should have. */
export function safeFilename(given: string, mimeType: AttachmentType): string {
  const name = given
    .replace(/^.*[\\/]/s, '')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}"<>|?*:]/gu, '')
    .trim()
    .replace(/^\.+/, '');
  const short = Array.from(name).slice(0, LONGEST).join('');
  return short === '' ? `image.${EXTENSION_OF_TYPE[mimeType]}` : short;
}
