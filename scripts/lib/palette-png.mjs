/** Makes pictures of pages small: pages have few colours, and a PNG with a palette has one byte for a pixel. */
import { deflateSync } from 'node:zlib';
import { chunk, decode, SIGNATURE } from './png.mjs';

const MOST_COLOURS = 256;

/**
 * Pictures of one size as numbers of the colours that they have together.
 *
 * @typedef {{ readonly palette: Buffer, readonly pictures: readonly Buffer[] }} Indexed
 */

/**
 * The same picture with at most 256 colours: similar ones become one.
 *
 * @param {Buffer} png with 8 bits for each of 3 or 4 channels, not interlaced, as browsers make it
 * @returns {Buffer}
 */
export function withPalette(png) {
  const { width, height, channels, pixels } = decode(png);
  const { palette, pictures } = indexed([pixels], channels);
  const data = deflateSync(linesOf(pictures[0] ?? Buffer.alloc(0), width, { x: 0, y: 0, width, height }), { level: 9 });
  const chunks = [chunk('IHDR', headerOf(width, height)), chunk('PLTE', palette), chunk('IDAT', data)];
  return Buffer.concat([SIGNATURE, ...chunks, chunk('IEND', Buffer.alloc(0))]);
}

/**
 * Similar colours become one, as far as it is necessary.
 *
 * @param {readonly Buffer[]} pictures their pixels
 * @param {number} channels bytes of a pixel
 * @returns {Indexed}
 */
export function indexed(pictures, channels) {
  for (let bits = 8; ; bits -= 1) {
    const colours = new Colours((0xff << (8 - bits)) & 0xff);
    const numbers = [];
    for (const pixels of pictures) {
      const found = colours.numbersOf(pixels, channels);
      if (!found) break;
      numbers.push(found);
    }
    if (numbers.length === pictures.length) return { palette: Buffer.from(colours.palette), pictures: numbers };
  }
}

/** The colours of pictures, as far as they were looked at. */
class Colours {
  /** Three bytes for each. @type {number[]} */
  palette = [];
  /** @type {Map<number, number>} */
  numbers = new Map();

  /** @param {number} mask of the bits of a channel that count */
  constructor(mask) {
    this.mask = mask;
  }

  /**
   * @param {Buffer} pixels
   * @param {number} channels
   * @returns {Buffer | undefined} undefined if there are too many colours
   */
  numbersOf(pixels, channels) {
    const { mask, numbers, palette } = this;
    const indices = Buffer.alloc(pixels.length / channels);
    for (let at = 0, pixel = 0; at < pixels.length; at += channels, pixel += 1) {
      const [r = 0, g = 0, b = 0] = [pixels[at], pixels[at + 1], pixels[at + 2]];
      const key = ((r & mask) << 16) | ((g & mask) << 8) | (b & mask);
      let number = numbers.get(key);
      if (number === undefined) {
        number = numbers.size;
        if (number === MOST_COLOURS) return undefined;
        numbers.set(key, number);
        palette.push(r, g, b);
      }
      indices[pixel] = number;
    }
    return indices;
  }
}

/**
 * The header of a picture with a palette.
 *
 * @param {number} width
 * @param {number} height
 */
export function headerOf(width, height) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  return header;
}

/**
 * The lines of an area of a picture, each behind the number of its filter: none.
 *
 * @param {Buffer} indices
 * @param {number} stride pixels of a line of the picture
 * @param {{ x: number, y: number, width: number, height: number }} area
 */
export function linesOf(indices, stride, { x, y, width, height }) {
  const lines = Buffer.alloc((width + 1) * height);
  for (let line = 0; line < height; line += 1) {
    const from = (y + line) * stride + x;
    indices.copy(lines, line * (width + 1) + 1, from, from + width);
  }
  return lines;
}
