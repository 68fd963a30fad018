import type { Json, JsonObject } from './json.js';
import { patched, patchedIfFits } from './json-patch.js';

const LIMITS = { largest: 4096, deepest: 32 };

describe('a patch', () => {
  it.each<[string, Json, JsonObject[], Json]>([
    ['adds', { a: [1] }, [{ op: 'add', path: '/a/-', value: { b: 2 } }], { a: [1, { b: 2 }] }],
    ['replaces', { a: 1 }, [{ op: 'replace', path: '/a', value: null }], { a: null }],
    ['removes', { a: [1, 2] }, [{ op: 'remove', path: '/a/0' }], { a: [2] }],
    ['tests', { 'a/b': 1 }, [{ op: 'test', path: '/a~1b', value: 1 }], { 'a/b': 1 }],
    ['copies', { a: { x: 1 } }, [{ op: 'copy', from: '/a', path: '/b' }], { a: { x: 1 }, b: { x: 1 } }],
    ['copies to the root', { a: { x: 1 } }, [{ op: 'copy', from: '/a', path: '' }], { x: 1 }],
    ['copies the root', { a: 1 }, [{ op: 'copy', from: '', path: '/b' }], { a: 1, b: { a: 1 } }],
    ['moves', { a: 1, b: 2 }, [{ op: 'move', from: '/a', path: '/b' }], { b: 1 }],
    ['moves in a list', [1, 2, 3], [{ op: 'move', from: '/0', path: '/2' }], [2, 3, 1]],
    ['moves to the root', { a: { x: 1 } }, [{ op: 'move', from: '/a', path: '' }], { x: 1 }],
    ['moves to the same place', { a: 1 }, [{ op: 'move', from: '/a', path: '/a' }], { a: 1 }],
  ])('%s', (_, value, patch, expected) => {
    const before = structuredClone(value);
    const operations = structuredClone(patch);
    expect(patched(value, patch)).toEqual(expected);
    expect({ value, patch }).toEqual({ value: before, patch: operations });
  });

  it('copies: a later change of one does not reach the other', () => {
    const patch: JsonObject[] = [
      { op: 'copy', from: '/a', path: '/b' },
      { op: 'add', path: '/b/x', value: 2 },
    ];
    expect(patched({ a: { x: 1 } }, patch)).toEqual({ a: { x: 1 }, b: { x: 2 } });
  });

  it.each<[string, JsonObject[]]>([
    ['of a place that is not there', [{ op: 'replace', path: '/none', value: 1 }]],
    ['from a place that is not there', [{ op: 'copy', from: '/none', path: '/b' }]],
    ['from what every object has', [{ op: 'move', from: '/toString', path: '/b' }]],
    ['that tests another value', [{ op: 'test', path: '/a', value: 2 }]],
    ['without a path', [{ op: 'add', value: 2 }]],
    ['without a value', [{ op: 'add', path: '/b' }]],
    ['with an unknown operation', [{ op: 'double', path: '/a' }]],
    ['beyond the end of a list', [{ op: 'replace', path: '/list/4000000000', value: 1 }]],
    ['that makes a value a part of itself', [{ op: 'move', from: '', path: '/self' }]],
    ['that makes a value a part of its part', [{ op: 'move', from: '/list', path: '/list/0' }]],
    ['of what all objects share', [{ op: 'add', path: '/hasOwnProperty/call', value: 1 }]],
    ['of a prototype', [{ op: 'add', path: '/__proto__/x', value: 1 }]],
    ['that doubles the value', Array.from({ length: 40 }, (_, at) => ({ op: 'copy', from: '', path: `/k${at}` }))],
    ['that copies again and again', Array.from({ length: 999 }, () => ({ op: 'copy', from: '/list', path: '/b' }))],
    ['that adds too much', [{ op: 'add', path: '/b', value: 'x'.repeat(5000) }]],
    [
      'that nests too deeply',
      Array.from({ length: 40 }, (_, at) => ({ op: 'add', path: '/b'.repeat(at + 1), value: {} })),
    ],
  ])('%s does not fit', (_, patch) => {
    const value = { a: 1, list: [1, 2, 3, 4, 5] };
    expect(() => patched(value, patch, LIMITS)).toThrow();
    expect(value).toEqual({ a: 1, list: [1, 2, 3, 4, 5] });
    expect(typeof Object.prototype.hasOwnProperty.call).toBe('function');
  });

  it('may take place of what it removes', () => {
    const half = 'x'.repeat(2500);
    const patch: JsonObject[] = [
      { op: 'remove', path: '/a' },
      { op: 'add', path: '/b', value: half },
    ];
    expect(patched({ a: half }, patch, LIMITS)).toEqual({ b: half });
  });

  it('of a log that does not fit changes nothing', () => {
    const doubling = Array.from({ length: 40 }, (_, at) => ({ op: 'copy', from: '', path: `/k${at}` }));
    expect(patchedIfFits({ a: 1 }, doubling)).toEqual({ a: 1 });
    expect(patchedIfFits({ a: 1 }, [{ op: 'remove', path: '/a' }])).toEqual({});
  });
});
