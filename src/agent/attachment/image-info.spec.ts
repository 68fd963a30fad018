import fc from 'fast-check';
import { boxed, gif, jpeg, png, webp } from '../../../test/support/images.js';
import { imageInfo } from './image-info.js';

describe('imageInfo', () => {
  it.each<[string, Buffer, string, number, number]>([
    ['PNG', png(640, 480), 'image/png', 640, 480],
    ['GIF', gif(640, 480), 'image/gif', 640, 480],
    ['JPEG', jpeg(640, 480), 'image/jpeg', 640, 480],
    ['lossy WebP', webp('VP8 ', 640, 480), 'image/webp', 640, 480],
    ['lossless WebP', webp('VP8L', 640, 480), 'image/webp', 640, 480],
    ['extended WebP', webp('VP8X', 640, 480), 'image/webp', 640, 480],
    ['HEIC', boxed('heic', 640, 480), 'image/heic', 640, 480],
    ['AVIF', boxed('avif', 640, 480), 'image/avif', 640, 480],
  ])('%s is recognized with its size', (_, bytes, mimeType, width, height) => {
    expect(imageInfo(bytes)).toEqual({ mimeType, size: { width, height } });
  });

  it.each<[string, Buffer]>([
    ['nothing', Buffer.alloc(0)],
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['HTML', Buffer.from('<!doctype html>')],
    ['PDF', Buffer.from('%PDF-1.7')],
    ['MP4', Buffer.from('\0\0\0\x18ftypisom\0\0\0\0isommp42', 'latin1')],
  ])('%s is refused', (_, bytes) => {
    expect(imageInfo(bytes)).toBeUndefined();
  });

  it('a truncated header gives no size', () => {
    for (const whole of [png(), gif(), jpeg(), webp('VP8X'), boxed('avif')]) {
      for (let length = 0; length < Math.min(whole.length, 34); length += 1) {
        expect(() => imageInfo(whole.subarray(0, length))).not.toThrow();
      }
    }
    expect(imageInfo(png().subarray(0, 20))).toEqual({ mimeType: 'image/png', size: undefined });
    expect(imageInfo(png(0, 5))).toEqual({ mimeType: 'image/png', size: undefined });
  });

  it('any bytes are read without an exception', () => {
    const heads = [png(), gif(), jpeg(), webp('VP8L'), boxed('heic')].map((bytes) => bytes.subarray(0, 12));
    fc.assert(
      fc.property(fc.constantFrom(...heads), fc.uint8Array({ maxLength: 200 }), (head, tail) => {
        imageInfo(Buffer.concat([head, tail]));
      }),
    );
  });
});
