/** Makes pictures of pages small: pages have few colours, and a PNG with a palette has one byte for a pixel. */
import { deflateSync, inflateSync, crc32 } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const MOST_COLOURS = 256;

/**
 * The same picture with at most 256 colours: similar ones become one.
 *
 * @param {Buffer} png with 8 bits for each of 3 or 4 channels, not interlaced, as browsers make it
 * @returns {Buffer}
 */
export function withPalette(png) {
  const { width, height, channels, pixels } = decode(png);
  for (let bits = 8; ; bits -= 1) {
    const found = indexed(pixels, channels, bits);
    if (found) return encode(width, height, found);
  }
}

/** @param {Buffer} png */
function decode(png) {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const channels = png.readUInt8(25) === 6 ? 4 : 3;
  const data = [];
  for (let at = SIGNATURE.length; at < png.length; at += png.readUInt32BE(at) + 12) {
    const isData = png.toString('latin1', at + 4, at + 8) === 'IDAT';
    if (isData) data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  return { width, height, channels, pixels: unfiltered(inflateSync(Buffer.concat(data)), width * channels, channels) };
}

/**
 * @param {Buffer} raw lines, each after the number of its filter
 * @param {number} stride bytes of a line
 * @param {number} channels
 */
function unfiltered(raw, stride, channels) {
  const lines = raw.length / (stride + 1);
  const out = Buffer.alloc(lines * stride);
  for (let line = 0; line < lines; line += 1) {
    const filter = raw[line * (stride + 1)];
    for (let x = 0; x < stride; x += 1) {
      const at = line * stride + x;
      const left = x >= channels ? (out[at - channels] ?? 0) : 0;
      const up = line > 0 ? (out[at - stride] ?? 0) : 0;
      const corner = x >= channels && line > 0 ? (out[at - stride - channels] ?? 0) : 0;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter ?? 0] ?? 0;
      out[at] = (raw[line * (stride + 1) + 1 + x] ?? 0) + guess;
    }
  }
  return out;
}

/**
 * @param {number} left
 * @param {number} up
 * @param {number} corner
 */
function paeth(left, up, corner) {
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

/**
 * The pixels as numbers of colours; undefined if there are too many colours.
 *
 * @param {Buffer} pixels
 * @param {number} channels
 * @param {number} bits of each channel that count
 */
function indexed(pixels, channels, bits) {
  const numbers = new Map();
  const palette = [];
  const indices = Buffer.alloc(pixels.length / channels);
  const mask = (0xff << (8 - bits)) & 0xff;
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
  return { palette: Buffer.from(palette), indices };
}

/**
 * @param {number} width
 * @param {number} height
 * @param {{ palette: Buffer, indices: Buffer }} picture
 */
function encode(width, height, { palette, indices }) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const lines = Buffer.alloc((width + 1) * height);
  for (let line = 0; line < height; line += 1)
    indices.copy(lines, line * (width + 1) + 1, line * width, (line + 1) * width);
  const data = deflateSync(lines, { level: 9 });
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', palette),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/**
 * @param {string} type
 * @param {Buffer} data
 */
function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
