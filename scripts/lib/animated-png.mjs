/** Makes a film of pictures of pages: an animated PNG with one palette, whose frames have what has changed. */
import { deflateSync } from 'node:zlib';
import { headerOf, indexed, linesOf } from './palette-png.mjs';
import { chunk, SIGNATURE } from './png.mjs';

/** A frame stays in place, and the next one is drawn over it. */
const KEEP_AND_REPLACE = [0, 0];

/**
 * A picture of a film.
 *
 * @typedef {{
 *   readonly pixels: Buffer,
 *   readonly ms: number,
 * }} Frame `pixels` has three bytes for each pixel; `ms` is how long it is shown
 *
 * @typedef {{ x: number, y: number, width: number, height: number }} Area
 */

/**
 * The film, which begins again at its end.
 *
 * @param {number} width
 * @param {number} height
 * @param {readonly Frame[]} frames all of this size; at least one
 * @returns {Buffer}
 */
export function animatedPng(width, height, frames) {
  const { palette, pictures } = indexed(
    frames.map(({ pixels }) => pixels),
    3,
  );
  /** @type {{ area: Area, data: Buffer, ms: number }[]} */
  const parts = [];
  let sequence = 0;
  let shown;
  for (const [index, indices] of pictures.entries()) {
    const ms = frames[index]?.ms ?? 0;
    const area = shown ? changed(shown, indices, width, height) : { x: 0, y: 0, width, height };
    const last = parts.at(-1);
    if (!area && last) last.ms += ms;
    else if (area) parts.push({ area, data: deflateSync(linesOf(indices, width, area), { level: 9 }), ms });
    shown = indices;
  }
  const head = [chunk('IHDR', headerOf(width, height)), chunk('acTL', words(parts.length, 0)), chunk('PLTE', palette)];
  const chunks = [];
  for (const [index, { area, data, ms }] of parts.entries()) {
    chunks.push(chunk('fcTL', control(sequence, area, ms)));
    sequence += 1;
    if (index === 0) chunks.push(chunk('IDAT', data));
    else {
      chunks.push(chunk('fdAT', Buffer.concat([words(sequence), data])));
      sequence += 1;
    }
  }
  return Buffer.concat([SIGNATURE, ...head, ...chunks, chunk('IEND', Buffer.alloc(0))]);
}

/**
 * The smallest area that has all that differs; undefined if nothing does.
 *
 * @param {Buffer} before
 * @param {Buffer} after
 * @param {number} width
 * @param {number} height
 */
function changed(before, after, width, height) {
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let y = 0; y < height; y += 1) {
    const [from, to] = [y * width, (y + 1) * width];
    if (before.compare(after, from, to, from, to) === 0) continue;
    top = Math.min(top, y);
    bottom = y;
    for (let x = 0; x < width; x += 1) {
      if (before[from + x] === after[from + x]) continue;
      left = Math.min(left, x);
      right = Math.max(right, x);
    }
  }
  return bottom === -1 ? undefined : { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}

/**
 * @param {number} sequence
 * @param {Area} area
 * @param {number} ms
 */
function control(sequence, { x, y, width, height }, ms) {
  const delay = Buffer.alloc(4);
  delay.writeUInt16BE(Math.min(ms, 0xffff), 0);
  delay.writeUInt16BE(1000, 2);
  return Buffer.concat([words(sequence, width, height, x, y), delay, Buffer.from(KEEP_AND_REPLACE)]);
}

/** @param {readonly number[]} values of 32 bits each */
function words(...values) {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
}
