import type { JsonObject } from '../../common/index.js';
import { UNTRUSTED_SCHEMA_DEPTH, UNTRUSTED_SCHEMA_LIMIT } from './schema-guard.js';
import { SchemaValidator } from './schema-validator.js';

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';
const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema';
const refused = expect.objectContaining({ code: 'INVALID_PARAMETER' }) as Error;

function nested(depth: number): JsonObject {
  let schema: JsonObject = {};
  for (let level = 1; level < depth; level += 1) schema = { not: schema };
  return schema;
}

describe('SchemaValidator', () => {
  const validator = new SchemaValidator();

  it('the draft is chosen by $schema, and without it either is accepted', () => {
    const tuple = { type: 'array', items: [{ type: 'string' }], additionalItems: false };
    const prefix = { type: 'array', prefixItems: [{ type: 'string' }], items: false };
    const of = (values: JsonObject, $schema?: string): JsonObject => ({
      ...($schema ? { $schema } : {}),
      properties: { values },
    });
    expect(validator.violation(of(tuple, DRAFT_07), { values: ['a', 'b'] })).toContain(
      'must NOT have more than 1 items',
    );
    expect(validator.violation(of(prefix, DRAFT_2020), { values: ['a', 'b'] })).toContain(
      'must NOT have more than 1 items',
    );
    expect(validator.violation(of(tuple), { values: [1] })).toContain('must be string');
    expect(validator.violation(of(prefix), { values: [1] })).toContain('must be string');
    expect(() => validator.violation({ $schema: 'https://example.com/mine' }, {})).toThrow(refused);
  });

  it('formats are checked and up to three violations named', () => {
    const email = { properties: { to: { type: 'string', format: 'email' } } };
    expect(validator.violation(email, { to: 'nobody' })).toBe('"to" must match format "email".');
    const many = { required: ['a', 'b', 'c', 'd', 'e'] };
    expect(validator.violation(many, {})).toMatch(/; and 2 more\.$/);
    expect(validator.violation({ properties: {}, additionalProperties: false }, { x: 1 })).toContain(
      'must not have "x"',
    );
  });

  it('two schemas may have the same $id', () => {
    expect(validator.violation({ $id: 'https://x/y', required: ['a'] }, {})).toContain('a');
    expect(validator.violation({ $id: 'https://x/y', required: ['b'] }, {})).toContain('b');
  });

  it('a limited number of compiled schemas is cached, one for equal schemas', () => {
    const fresh = new SchemaValidator();
    fresh.violation({ const: 1 }, 1);
    fresh.violation({ const: 1 }, 1);
    expect(fresh.cacheSize).toBe(1);
    for (let n = 0; n < 600; n += 1) fresh.violation({ const: n }, n);
    expect(fresh.cacheSize).toBe(500);
  });

  it.each<[string, JsonObject]>([
    ['too long', { description: 'x'.repeat(UNTRUSTED_SCHEMA_LIMIT) }],
    ['too deep', nested(UNTRUSTED_SCHEMA_DEPTH + 1)],
    ['bottomless', nested(40_000)],
    ['a remote reference', { properties: { a: { $ref: 'https://example.com/schema.json' } } }],
    ['a broken reference', { properties: { a: { $ref: '#/definitions/none' } } }],
    ['no schema', { type: 'banana' }],
    ['not of an object', { type: 'string' }],
    ['a broken pattern', { properties: { a: { pattern: '(' } } }],
    ['a strange dialect', { $schema: 'https://example.com/mine' }],
  ])('a client schema that is %s is refused', (_what, schema) => {
    expect(() => validator.checkUntrusted('mine', schema)).toThrow(refused);
  });

  it('a client schema with local references is accepted and not cached', () => {
    const schema = { type: 'object', properties: { a: { $ref: '#/$defs/b' } }, $defs: { b: { type: 'string' } } };
    const before = validator.cacheSize;
    expect(() => validator.checkUntrusted('mine', schema)).not.toThrow();
    expect(validator.cacheSize).toBe(before);
  });
});
