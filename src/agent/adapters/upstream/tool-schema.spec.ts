import fc from 'fast-check';
import type { JsonObject } from '../../../common/index.js';
import { schemaProblems } from '../testing/schema-judges.js';
import { normalizedSchema } from './tool-schema.js';
import {
  COMMON_SCHEMA_RULES,
  GEMINI_SCHEMA_RULES,
  KIMI_SCHEMA_RULES,
  LLAMA_CPP_SCHEMA_RULES,
  STRICT_SCHEMA_RULES,
} from './tool-schema-rules.js';

const common = (schema: object): JsonObject => normalizedSchema(schema as JsonObject, COMMON_SCHEMA_RULES);
const gemini = (schema: object): JsonObject => normalizedSchema(schema as JsonObject, GEMINI_SCHEMA_RULES);
const kimi = (schema: object): JsonObject => normalizedSchema(schema as JsonObject, KIMI_SCHEMA_RULES);
const of = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more });

/** Schemas as tools in the wild declare them. */
const ODD: readonly object[] = [
  {},
  { type: 'object' },
  { type: 'object', additionalProperties: false },
  { type: ['object', 'null'] },
  { type: 'string' },
  of(
    { list: { type: 'array' }, any: true, none: false, tags: { type: ['array', 'null'] } },
    { required: ['list', 'ghost', 'none'] },
  ),
  of({ pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] } }),
  of({ pair: { type: 'array', prefixItems: [{ type: 'string' }], items: false } }),
  {
    $ref: '#/$defs/Args',
    $defs: { Args: of({ a: { $ref: '#/$defs/A' } }, { required: ['a'] }), A: { type: 'string' } },
  },
  {
    oneOf: [
      of({ kind: { const: 'a' }, x: { type: 'number' } }, { required: ['kind', 'x'] }),
      of({ kind: { const: 'b' } }, { required: ['kind'] }),
    ],
  },
  { ...of({ a: { type: 'string' }, b: { type: 'string' } }), anyOf: [{ required: ['a'] }, { required: ['b'] }] },
  { allOf: [of({ a: {} }, { required: ['a'] }), of({ b: {} }, { required: ['b'] })], not: { required: ['c'] } },
  { ...of({ a: { type: 'string' } }), if: { properties: { a: { const: 'x' } } }, then: of({ b: { type: 'string' } }) },
  of({ tree: { $ref: '#/$defs/T' } }, { $defs: { T: of({ kids: { type: 'array', items: { $ref: '#/$defs/T' } } }) } }),
  of({ self: { $ref: '#' }, part: { $ref: '#/properties/deep/properties/x' }, deep: of({ x: { type: 'integer' } }) }),
  of({ a: { description: 'about', $ref: '#/definitions/A' } }, { definitions: { A: { enum: [1, 2] } } }),
  of({ a: { type: 'string', anyOf: [{ const: 'x' }, { pattern: '^y' }] } }),
  of({
    a: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null },
    b: { type: ['string', 'integer', 'null'] },
  }),
  of({ a: { enum: ['x', null] }, b: { enum: [1, 'x'] }, c: { const: 5 }, d: { type: 'integer', enum: [1, 2] } }),
  of({
    a: { type: 'string', format: 'email', minLength: 3, pattern: 'x' },
    b: { type: 'number', exclusiveMinimum: 0 },
  }),
  of(
    { a: { allOf: [{ $ref: '#/$defs/A' }], description: 'own' } },
    { $defs: { A: of({ b: { allOf: [{ $ref: '#/$defs/A' }] } }) } },
  ),
  of({ a: of({}, { patternProperties: { '^x': { type: 'string' } }, additionalProperties: { type: 'array' } }) }),
  of({ a: { type: 'any' }, b: { type: 'str', required: true }, c: { pattern: '(?P<y>\\d)' }, d: { $ref: '#/none' } }),
  of(
    { default: { type: 'string' }, $ref: { type: 'string' }, properties: { type: 'string' } },
    { required: ['default'] },
  ),
  of({ a: { minimum: 1, exclusiveMinimum: true }, b: { type: 'array', items: {}, uniqueItems: true } }),
];

const FAMILIES = [
  ['OpenAI and Anthropic', COMMON_SCHEMA_RULES, 'common'],
  ['Kimi', KIMI_SCHEMA_RULES, 'kimi'],
  ['Gemini', GEMINI_SCHEMA_RULES, 'gemini'],
  ['Cerebras', STRICT_SCHEMA_RULES, 'strict'],
  ['llama.cpp', LLAMA_CPP_SCHEMA_RULES, 'llamaCpp'],
] as const;

describe('normalizedSchema', () => {
  describe.each(FAMILIES)('for %s', (_name, rules, judge) => {
    it.each(ODD.map((schema) => [JSON.stringify(schema), schema] as const))('%s is acceptable', (_text, schema) => {
      expect(schemaProblems(judge, normalizedSchema(schema as JsonObject, rules))).toEqual([]);
    });

    it('any schema is acceptable', () => {
      const { schema } = fc.letrec<{ schema: object | boolean; list: unknown }>((tie) => ({
        list: fc.array(tie('schema'), { maxLength: 3 }),
        schema: fc.oneof(
          { maxDepth: 4 },
          fc.boolean(),
          fc.record(
            {
              type: fc.constantFrom<unknown>(
                'object',
                'array',
                'string',
                'integer',
                'any',
                ['string', 'null'],
                ['array', 'object'],
                7,
              ),
              properties: fc.dictionary(fc.constantFrom('a', 'b', '$ref', 'enum'), tie('schema'), { maxKeys: 3 }),
              required: fc.constantFrom<unknown>(['a'], ['ghost'], true, 'a'),
              items: fc.oneof(tie('schema'), tie('list')),
              prefixItems: tie('list'),
              anyOf: tie('list'),
              oneOf: tie('list'),
              allOf: tie('list'),
              not: tie('schema'),
              then: tie('schema'),
              $defs: fc.dictionary(fc.constantFrom('a', 'b'), tie('schema'), { maxKeys: 2 }),
              $ref: fc.constantFrom('#', '#/$defs/a', '#/properties/a', '#/anyOf/0', 'https://example.org', '#b'),
              $id: fc.constantFrom('x', '#b'),
              enum: fc.constantFrom<unknown>([], ['x', 1, null], ['x'], 'x'),
              const: fc.constantFrom(1, 'x', null),
              additionalProperties: tie('schema'),
              pattern: fc.constantFrom('^a$', '(', '(?P<a>b)'),
              minimum: fc.constantFrom<unknown>(1, '1'),
              exclusiveMinimum: fc.constantFrom<unknown>(true, 1),
              nullable: fc.constant(true),
              format: fc.constantFrom<unknown>('email', 'date-time', 5),
              description: fc.constantFrom<unknown>('words', null),
            },
            { requiredKeys: [] },
          ),
        ),
      }));
      fc.assert(
        fc.property(schema, (one) => {
          fc.pre(typeof one === 'object');
          expect(schemaProblems(judge, normalizedSchema(one as JsonObject, rules))).toEqual([]);
        }),
        { numRuns: 60 },
      );
    });
  });

  it.each([{}, { type: 'object' }, { type: 'object', properties: {} }])('%j has properties', (schema) => {
    expect(JSON.stringify(common(schema))).toBe('{"type":"object","properties":{}}');
  });

  it('a schema that is acceptable stays as it is', () => {
    const schema = of(
      { a: { type: 'string', minLength: 1, default: 'x' }, b: { anyOf: [{ type: 'string' }, { type: 'integer' }] } },
      { required: ['a'], additionalProperties: false, description: 'Arguments' },
    );
    expect(common(schema)).toEqual(schema);
    expect(common(schema)).toBe(common(schema));
  });

  it('branches of the root are merged, and told', () => {
    const shape = (kind: string, size: string): object =>
      of(
        { kind: { const: kind }, [size]: { type: 'number' } },
        { required: ['kind', size], additionalProperties: false },
      );
    expect(common({ description: 'A shape.', oneOf: [shape('circle', 'radius'), shape('square', 'side')] })).toEqual({
      type: 'object',
      properties: { kind: { enum: ['circle', 'square'] }, radius: { type: 'number' }, side: { type: 'number' } },
      required: ['kind'],
      additionalProperties: false,
      description: 'A shape. Alternatives: kind "circle", radius; or kind "square", side.',
    });
  });

  it('a reference to what is no definition becomes one', () => {
    expect(
      common(of({ a: { $ref: '#/properties/b/items' }, b: { type: 'array', items: { type: 'string' } } })),
    ).toEqual({
      type: 'object',
      properties: { a: { $ref: '#/$defs/part_1' }, b: { type: 'array', items: { type: 'string' } } },
      $defs: { part_1: { type: 'string' } },
    });
  });

  it('Gemini gets no references, one type at each place and texts as values', () => {
    const schema = of(
      {
        node: { $ref: '#/$defs/N' },
        level: { enum: [1, 2], description: 'The level.' },
        at: { type: 'string', format: 'uri' },
      },
      { $defs: { N: of({ name: { type: ['string', 'null'] }, next: { $ref: '#/$defs/N' } }) } },
    );
    const node = (next: object): object => of({ name: { type: 'string', nullable: true }, next });
    expect(gemini(schema)).toEqual(
      of({
        node: node(node(node({ type: 'object' }))),
        level: { type: 'number', description: 'The level. One of: 1, 2.' },
        at: { type: 'string', description: '(format: uri)' },
      }),
    );
  });

  it('Kimi gets references alone, and types in branches', () => {
    const schema = of(
      { a: { $ref: '#/$defs/A', description: 'x' }, b: { type: 'string', anyOf: [{ const: 'x' }, { minLength: 2 }] } },
      { $defs: { A: { type: 'string' } } },
    );
    expect(kimi(schema)).toMatchObject({
      properties: {
        a: { $ref: '#/$defs/A' },
        b: {
          anyOf: [
            { type: 'string', const: 'x' },
            { type: 'string', minLength: 2 },
          ],
        },
      },
    });
  });

  it('a schema that would explode is cut', () => {
    const level = (n: number): object => of({ a: { $ref: `#/$defs/L${n}` }, b: { $ref: `#/$defs/L${n}` } });
    const $defs = Object.fromEntries(Array.from({ length: 40 }, (_none, n) => [`L${n}`, level(n + 1)]));
    expect(JSON.stringify(gemini(of({ a: { $ref: '#/$defs/L0' } }, { $defs }))).length).toBeLessThan(1_000_000);
  });
});
