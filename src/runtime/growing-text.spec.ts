import fc from 'fast-check';
import { GrowingText } from './growing-text.js';

describe('a growing text', () => {
  it('is the pieces in their order, at any time', () => {
    const step = fc.oneof(
      { weight: 20, arbitrary: fc.string({ unit: 'binary', maxLength: 3 }) },
      fc.constantFrom('read' as const, 'set' as const),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const text = new GrowingText();
        let expected = '';
        for (const one of steps) {
          if (one === 'read') expect(text.value).toBe(expected);
          else if (one === 'set') text.set((expected = 'whole'));
          else {
            text.append(one);
            expected += one;
          }
        }
        expect(text.value).toBe(expected);
      }),
    );
  });
});
