import { AppError } from '../../common/index.js';
import type { AttachmentType } from './attachment-reference.js';
import { EXTENSION_OF_TYPE } from './attachment-reference.js';
import type { UploadedFile } from './attachment.types.js';
import { imageInfo } from './image-info.js';

/** The maximum length of a side, in pixels. */
const LONGEST_SIDE = 12_000;

/** Declared types that mean any type. */
const UNTOLD_TYPES: ReadonlySet<string> = new Set(['', 'application/octet-stream']);
/** Other names of accepted types. */
const OTHER_NAMES = new Map([
  ['image/jpg', 'image/jpeg'],
  ['image/heif', 'image/heic'],
]);

/**
 * Determines the type of an upload by its bytes (contract runs-api, section 7).
 *
 * @throws AppError ATTACHMENT_EMPTY, ATTACHMENT_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, ATTACHMENT_INVALID
 */
export function checkedImage(
  { bytes, declaredType }: UploadedFile,
  maxBytes: number,
): { mimeType: AttachmentType; width: number; height: number } {
  if (bytes.length === 0) throw new AppError('ATTACHMENT_EMPTY');
  if (bytes.length > maxBytes) throw tooLarge(maxBytes);
  const info = imageInfo(bytes);
  if (!info)
    throw new AppError(
      'UNSUPPORTED_MEDIA_TYPE',
      `The file must be one of ${Object.keys(EXTENSION_OF_TYPE).join(', ')}`,
    );
  const said = (declaredType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const declared = OTHER_NAMES.get(said) ?? said;
  if (!UNTOLD_TYPES.has(declared) && declared !== info.mimeType) {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', `The file is ${info.mimeType}, but was declared as another type`);
  }
  if (!info.size) throw new AppError('ATTACHMENT_INVALID', 'The image is damaged: its size cannot be read');
  if (Math.max(info.size.width, info.size.height) > LONGEST_SIDE) {
    throw new AppError('ATTACHMENT_INVALID', `The image must not exceed ${LONGEST_SIDE} pixels per side`);
  }
  return { mimeType: info.mimeType, ...info.size };
}

/** The error for a file that is too large. */
export function tooLarge(maxBytes: number): AppError {
  return new AppError('ATTACHMENT_TOO_LARGE', `The file exceeds the size limit of ${maxBytes} bytes`);
}
