import type { AttachmentType } from './attachment-reference.js';

/** The type and the size of an image. */
export interface ImageInfo {
  readonly mimeType: AttachmentType;
  /** Pixels; undefined when the size is missing or the image is damaged. */
  readonly size: { readonly width: number; readonly height: number } | undefined;
}

type Size = ImageInfo['size'];

/** How many bytes of an image of boxes (HEIC, AVIF) are searched for its size. */
const BOX_SEARCH_LENGTH = 262_144;

/**
 * The type of an image by its magic bytes and the size in its header; undefined when the bytes are not an
 * accepted image. Nothing is decoded.
 */
export function imageInfo(bytes: Buffer): ImageInfo | undefined {
  const text = (from: number, to: number): string => bytes.toString('latin1', from, to);
  if (text(0, 8) === '\x89PNG\r\n\x1a\n') return { mimeType: 'image/png', size: pngSize(bytes) };
  if (text(0, 3) === '\xff\xd8\xff') return { mimeType: 'image/jpeg', size: jpegSize(bytes) };
  if (/^GIF8[79]a$/.test(text(0, 6))) return { mimeType: 'image/gif', size: gifSize(bytes) };
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') return { mimeType: 'image/webp', size: webpSize(bytes) };
  if (text(4, 8) !== 'ftyp') return undefined;
  const mimeType = typeOfBrands(bytes);
  return mimeType && { mimeType, size: boxSize(bytes) };
}

function pngSize(bytes: Buffer): Size {
  if (bytes.length < 24 || bytes.toString('latin1', 12, 16) !== 'IHDR') return undefined;
  return sized(bytes.readUInt32BE(16), bytes.readUInt32BE(20));
}

function gifSize(bytes: Buffer): Size {
  return bytes.length < 10 ? undefined : sized(bytes.readUInt16LE(6), bytes.readUInt16LE(8));
}

/** Walks over the segments to the first start-of-frame. */
function jpegSize(bytes: Buffer): Size {
  let at = 2;
  while (at + 9 < bytes.length) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes.readUInt8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return sized(bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5));
    const isBare = marker === 0xff || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
    at += marker === 0xff ? 1 : isBare ? 2 : 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

function webpSize(bytes: Buffer): Size {
  if (bytes.length < 30) return undefined;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return sized(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff);
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return sized((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
    }
    case 'VP8X':
      return sized(bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1);
    default:
      return undefined;
  }
}

/** The type by the brands of the `ftyp` box, which name the codec of an image of boxes. */
function typeOfBrands(bytes: Buffer): AttachmentType | undefined {
  const end = Math.min(bytes.readUInt32BE(0), bytes.length, 256);
  const brands: string[] = [];
  for (let at = 8; at + 4 <= end; at += 4) if (at !== 12) brands.push(bytes.toString('latin1', at, at + 4));
  if (brands.some((brand) => brand === 'avif' || brand === 'avis')) return 'image/avif';
  return brands.some((brand) => /^(heic|heix|hevc|hevx|heim|heis)$/.test(brand)) ? 'image/heic' : undefined;
}

/** The largest of the `ispe` boxes: one per picture, tiles and thumbnails among them. */
function boxSize(bytes: Buffer): Size {
  const head = bytes.subarray(0, BOX_SEARCH_LENGTH);
  let largest: Size;
  for (let at = head.indexOf('ispe'); at >= 0 && at + 16 <= head.length; at = head.indexOf('ispe', at + 4)) {
    const size = sized(head.readUInt32BE(at + 8), head.readUInt32BE(at + 12));
    if (size && (!largest || size.width * size.height > largest.width * largest.height)) largest = size;
  }
  return largest;
}

function sized(width: number, height: number): Size {
  return width > 0 && height > 0 ? { width, height } : undefined;
}
