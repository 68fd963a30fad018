/** The format of PNG, as far as pictures of pages need it. */
import { crc32, inflateSync } from 'node:zlib';

/** What each file begins with. */
export const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/**
 * The pixels of a picture, one after the other.
 *
 * @param {Buffer} png with 8 bits for each of 3 or 4 channels, not interlaced, as browsers make it
 */
export function decode(png) {
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
 * One part of a file, with its length and sum.
 *
 * @param {string} type
 * @param {Buffer} data
 */
export function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
