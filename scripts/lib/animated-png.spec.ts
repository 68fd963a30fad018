import { animatedPng } from './animated-png.mjs';

/** Two lines of three pixels. @param red the numbers of those that are red */
function picture(...red: readonly number[]): Buffer {
  const pixels = Buffer.alloc(18, 0xff);
  for (const number of red) pixels.set([0xff, 0, 0], number * 3);
  return pixels;
}

/** The parts of a file: their types and contents. */
function partsOf(png: Buffer): readonly (readonly [type: string, data: Buffer])[] {
  const parts: [string, Buffer][] = [];
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12) {
    parts.push([png.toString('latin1', at + 4, at + 8), png.subarray(at + 8, at + 8 + png.readUInt32BE(at))]);
  }
  return parts;
}

describe('an animated PNG', () => {
  const film = animatedPng(3, 2, [
    { pixels: picture(), ms: 100 },
    { pixels: picture(), ms: 100 },
    { pixels: picture(1, 4), ms: 300 },
  ]);
  const parts = partsOf(film);
  const controls = parts.filter(([type]) => type === 'fcTL').map(([, data]) => data);

  it('has the parts that the format asks for, and a number for each of its own', () => {
    expect(parts.map(([type]) => type)).toEqual(['IHDR', 'acTL', 'PLTE', 'fcTL', 'IDAT', 'fcTL', 'fdAT', 'IEND']);
    const numbers = parts.filter(([type]) => /^f[cd]/.test(type)).map(([, data]) => data.readUInt32BE(0));
    expect(numbers).toEqual([0, 1, 2]);
  });

  it('begins with the first picture, whole', () => {
    expect(parts[0]?.[1].subarray(0, 8)).toEqual(words(3, 2));
    expect(controls[0]?.subarray(4, 20)).toEqual(words(3, 2, 0, 0));
  });

  it('shows a picture that does not change for as long as it stays, and of the next one what has changed', () => {
    expect(controls.map((data) => data.readUInt16BE(20))).toEqual([200, 300]);
    expect(controls[1]?.subarray(4, 20)).toEqual(words(1, 2, 1, 0));
  });
});

function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => bytes.writeUInt32BE(value, index * 4));
  return bytes;
}
