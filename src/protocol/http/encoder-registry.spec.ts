import type { FrameEncoder } from './encoder.js';
import { EncoderRegistry } from './encoder-registry.js';

const encoder: FrameEncoder = { joinable: true, next: () => [], end: () => [] };

describe('EncoderRegistry', () => {
  it('gives the encoder of a wire by its name', () => {
    const registry = new EncoderRegistry();
    const factory = (): FrameEncoder => encoder;
    registry.register('a', factory);
    expect(registry.get('a')).toBe(factory);
  });

  it('refuses a second encoder of the same name', () => {
    const registry = new EncoderRegistry();
    registry.register('a', () => encoder);
    expect(() => registry.register('a', () => encoder)).toThrow(TypeError);
  });

  it('names the wires there are when it is asked for another', () => {
    const registry = new EncoderRegistry();
    registry.register('a', () => encoder);
    registry.register('b', () => encoder);
    expect(() => registry.get('c')).toThrow('protocol must be one of a, b');
  });
});
