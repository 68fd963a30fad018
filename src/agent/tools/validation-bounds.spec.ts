import type { Json, JsonObject } from '../../common/index.js';
import { SchemaValidator, VALUE_LIMITS } from './schema-validator.js';

/** What one validation may take here at most, in milliseconds: its time limit, and what a busy machine adds. */
const MOST_MS = 400;
const TOO_LONG = 'the arguments object takes too long to check.';

const list = (items: JsonObject): JsonObject => ({ properties: { list: { type: 'array', ...items } } });
/** An object with a long common part. */
const alike = (n: number): JsonObject => ({ a: 'x'.repeat(20), b: { c: [1, 2, 3] }, n });
const chain = (depth: number): Json => (depth === 0 ? 1 : { a: chain(depth - 1) });

/** A list item that both branches accept, at each level of the value: two to the power of its depth. */
const BRANCHING = {
  $ref: '#/$defs/node',
  $defs: {
    node: {
      anyOf: ['x', 'y'].map((name) => ({ properties: { a: { $ref: '#/$defs/node' } }, required: ['a', name] })),
    },
  },
};

describe('the work of a validator', () => {
  let validator: SchemaValidator;
  beforeEach(async () => {
    validator = new SchemaValidator();
    await new Promise((resolve) => setImmediate(resolve));
  });

  function timed(schema: JsonObject, value: unknown): string | undefined {
    validator.violation(schema, {});
    const startedAt = performance.now();
    const violation = validator.violation(schema, value);
    expect(performance.now() - startedAt).toBeLessThan(MOST_MS);
    return violation;
  }

  it('values without duplicates are found in linear time, and duplicates named as before', () => {
    const unique = list({ uniqueItems: true });
    const items = Array.from({ length: 1200 }, (_, n) => alike(n));
    expect(timed(unique, { list: items })).toBeUndefined();
    expect(timed(unique, { list: [...items, { n: 7, b: { c: [1, 2, 3] }, a: 'x'.repeat(20) }] })).toBe(
      '"list" must NOT have duplicate items (items ## 7 and 1200 are identical).',
    );
    expect(timed(unique, { list: [1, '1', true, 'true', null, [], {}] })).toBeUndefined();
    expect(timed(list({ uniqueItems: false }), { list: [1, 1] })).toBeUndefined();
    expect(timed(unique, { list: ['b', 'b'] })).toContain('items ## 0 and 1');
  });

  it.each<[string, JsonObject, unknown, RegExp]>([
    [
      '12,000 objects',
      list({ uniqueItems: true }),
      { list: Array.from({ length: 12_000 }, (_, n) => alike(n)) },
      /10000 values/,
    ],
    [
      'too many members',
      {},
      Object.fromEntries(Array.from({ length: 10_001 }, (_, n) => [`k${n}`, n])),
      /10000 values/,
    ],
    ['too much text', {}, { text: 'x'.repeat(VALUE_LIMITS.characters + 1) }, /1048576 characters/],
    ['too long keys', {}, { ['x'.repeat(VALUE_LIMITS.characters + 1)]: 1 }, /1048576 characters/],
    ['too deep a value', {}, chain(VALUE_LIMITS.depth + 1), /64 levels/],
    ['a bottomless value', {}, JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`), /64 levels/],
  ])('%s: refused before the schema is applied', (_what, schema, value, sentence) => {
    expect(timed(schema, value)).toMatch(sentence);
  });

  it.each<[string, JsonObject, JsonObject]>([
    [
      'a pattern with many optional parts',
      { properties: { a: { pattern: 'x*x?x?x?x?x?x?x?y' } } },
      { a: 'x'.repeat(4000) },
    ],
    [
      'a name tested against such a pattern',
      { patternProperties: { 'x*x?x?x?x?x?x?x?y': {} } },
      { ['x'.repeat(4000)]: 1 },
    ],
    [
      'names tested against such a pattern',
      { propertyNames: { pattern: 'x*x?x?x?x?x?x?x?y' } },
      { ['x'.repeat(4000)]: 1 },
    ],
    ['a format that backtracks', { properties: { a: { format: 'url' } } }, { a: `http://${':'.repeat(100_000)}` }],
    ['references that branch at each level', BRANCHING, chain(60) as JsonObject],
    ['a reference to itself', { $ref: '#/$defs/a', $defs: { a: { allOf: [{ $ref: '#/$defs/a' }] } } }, { a: 1 }],
    [
      'a long list of long choices',
      list({ items: { enum: Array.from({ length: 2000 }, (_, n) => alike(n)) } }),
      { list: Array.from({ length: 1000 }, (_, n) => alike(-n)) },
    ],
  ])('%s: stopped at a time limit', (_what, schema, value) => {
    expect(timed(schema, value)).toBe(TOO_LONG);
  });

  it('a large value of a common schema is validated', () => {
    const schema = list({
      items: { type: 'object', properties: { id: { type: 'string', pattern: '^[a-z]+-\\d+$' } }, required: ['id'] },
    });
    const items = Array.from({ length: 4000 }, (_, n) => ({ id: `item-${n}` }));
    expect(timed(schema, { list: items })).toBeUndefined();
    expect(timed(schema, { list: [...items, { id: '-' }] })).toContain('must match pattern');
  });

  it('a long error of each of many items costs no more than a few', () => {
    const choices = Array.from({ length: 40 }, (_, n) => `${'x'.repeat(1000)}${n}`);
    const violation = timed(list({ items: { enum: choices } }), { list: Array.from({ length: 9000 }, () => 'y') });
    expect(violation).toMatch(/and 97 more\.$/);
  });

  it('a schema that takes too long to compile is refused, and the validator works on', () => {
    const properties = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`p${n}`, { type: 'string' }]));
    const allOf = Array.from({ length: 2500 }, () => ({ $ref: '#/$defs/e' }));
    const startedAt = performance.now();
    expect(() => validator.checkUntrusted('mine', { type: 'object', allOf, $defs: { e: { properties } } })).toThrow(
      expect.objectContaining({ code: 'INVALID_PARAMETER' }) as Error,
    );
    expect(performance.now() - startedAt).toBeLessThan(5000);
    expect(validator.violation({ required: ['a'] }, {})).toContain('a');
  });
});
