import { setImmediate } from 'node:timers/promises';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../common/index.js';
import { synthesizeArguments } from './arguments.js';
import { Evidence } from './evidence.js';

const ajv = new Ajv2020({ strict: false, allErrors: true, ownProperties: true });
addFormats(ajv);

const make = (schema: JsonObject, text: string): JsonObject =>
  synthesizeArguments(schema, new Evidence(text, { now: 0 }));

const strings: fc.Arbitrary<JsonObject> = fc.oneof(
  fc
    .record({ min: fc.nat(20), extra: fc.nat(20) })
    .map(({ min, extra }) => ({ type: 'string', minLength: min, maxLength: min + extra })),
  fc
    .constantFrom('date-time', 'date', 'time', 'email', 'uri', 'uuid', 'ipv4', 'hostname')
    .map((format) => ({ type: 'string', format })),
  fc.constant({ type: 'string' }),
);
const numbers: fc.Arbitrary<JsonObject> = fc
  .record({
    type: fc.constantFrom('number', 'integer'),
    low: fc.integer({ min: -1000, max: 1000 }),
    span: fc.integer({ min: 10, max: 500 }),
    step: fc.constantFrom(undefined, 2, 5),
    exclusive: fc.boolean(),
  })
  .map(({ type, low, span, step, exclusive }) => ({
    type,
    ...(exclusive ? { exclusiveMinimum: low, exclusiveMaximum: low + span } : { minimum: low, maximum: low + span }),
    ...(step === undefined ? {} : { multipleOf: step }),
  }));
const choices: fc.Arbitrary<JsonObject> = fc.oneof(
  fc
    .uniqueArray(fc.oneof(fc.string({ minLength: 1 }), fc.integer()), { minLength: 1, maxLength: 4 })
    .map((values) => ({ enum: values })),
  fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)).map((value: Json) => ({ const: value })),
);
const plain = fc.oneof(
  strings,
  numbers,
  choices,
  fc.constant<JsonObject>({ type: 'boolean' }),
  fc.constant<JsonObject>({ type: ['string', 'null'] }),
);

const { object } = fc.letrec<{ object: JsonObject; any: JsonObject }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    plain,
    tie('object'),
    fc
      .record({ items: tie('any'), least: fc.nat(3) })
      .map(({ items, least }) => ({ type: 'array', items, minItems: least, maxItems: least + 2 })),
    tie('any').map((schema) => ({ anyOf: [{ type: 'null' }, schema] })),
    tie('any').map((schema) => ({ allOf: [schema] })),
  ),
  object: fc
    .record({
      properties: fc.dictionary(
        fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom('city', 'start_time', 'timezone', '__proto__', 'on')),
        tie('any'),
        { maxKeys: 5 },
      ),
      mask: fc.array(fc.boolean(), { maxLength: 5 }),
      closed: fc.boolean(),
    })
    .map(({ properties, mask, closed }) => ({
      type: 'object',
      properties,
      required: Object.keys(properties).filter((key, index) => mask[index] === true && key !== '__proto__'),
      ...(closed ? { additionalProperties: false } : {}),
    })),
}));

const texts = fc.oneof(
  fc.string(),
  fc.constantFrom(
    'Make it blue, "quoted text", 42 and -7.5, tomorrow at 10 for 30 minutes called Plan, turn it off, a@b.example https://x.example/y',
    '把背景改成蓝色，明天下午3点，数到5',
    'city: Paris, on: no, level = 300',
  ),
);

describe('synthesizeArguments', () => {
  // The time for patterns is limited in each turn of the event loop.
  beforeEach(() => setImmediate());

  it('generated arguments match their schema', () => {
    fc.assert(
      fc.property(object, texts, (schema, text) => {
        const validate = ajv.compile(schema);
        const made = make(schema, text);
        if (!validate(made)) throw new Error(`${JSON.stringify(made)}: ${ajv.errorsText(validate.errors)}`);
      }),
      { numRuns: 300 },
    );
  });

  it('the same input gives the same arguments', () => {
    fc.assert(
      fc.property(object, texts, (schema, text) => expect(make(schema, text)).toEqual(make(schema, text))),
      { numRuns: 100 },
    );
  });

  it('references are followed and recursive schemas end', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: { node: { $ref: '#/$defs/node' }, tree: { $ref: '#/$defs/tree' } },
      required: ['node', 'tree'],
      $defs: {
        node: {
          type: 'object',
          properties: { name: { type: 'string' }, next: { $ref: '#/$defs/node' } },
          required: ['name'],
        },
        tree: {
          type: 'object',
          properties: { children: { type: 'array', items: { $ref: '#/$defs/tree' } } },
          required: ['children'],
        },
      },
    };
    const made = make(schema, 'hello "first"');
    expect(made).toEqual({ node: { name: 'first' }, tree: { children: [] } });
  });

  it.each<[string, JsonObject, string, Json]>([
    [
      'an enum value in the text',
      { type: 'string', enum: ['low', 'high_priority'] },
      'Make it high priority',
      'high_priority',
    ],
    ['the default of an enum', { type: 'string', enum: ['low', 'high'], default: 'high' }, 'whatever', 'high'],
    ['a named value', { type: 'number' }, 'first 1, then value: 9', 9],
    ['quoted items', { type: 'array', items: { type: 'string' } }, 'add "milk" and "eggs"', ['milk', 'eggs']],
    ['numbers as items', { type: 'array', items: { type: 'number' } }, 'the mean of 1, 2 and 3.5', [1, 2, 3.5]],
    [
      'choices, each once',
      { type: 'array', items: { enum: ['a1', 'b2', 'c3'] }, minItems: 2, uniqueItems: true },
      'b2',
      ['b2', 'a1'],
    ],
    ['a default', { type: 'string', default: 'plain' }, 'hi', 'plain'],
    ['an address', { type: 'string', format: 'uri' }, 'open https://a.example/b.', 'https://a.example/b'],
    [
      'a word that matches a pattern',
      { type: 'string', pattern: '^[A-Z]-\\d{4}$' },
      'Where is order A-1001?',
      'A-1001',
    ],
    ['a date in the form of a pattern', { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d$' }, 'today', '1970-01-01'],
    ['a quoted text that matches a pattern', { type: 'string', pattern: '^a b$' }, 'find "a b"', 'a b'],
    ['an IP address', { type: 'string', format: 'ipv4' }, 'Ping 10.0.0.7, please.', '10.0.0.7'],
    ['a name of a host', { type: 'string', format: 'hostname' }, 'Ping shop.example.', 'shop.example'],
    ['a word in the format', { type: 'string', format: 'duration' }, 'Wait PT5M now', 'PT5M'],
    ['a number, not a part of an id', { type: 'number' }, 'Refund order A-1001: 20 euros', 20],
    ['the text itself', { type: 'string' }, ' just words ', 'just words'],
  ])('an argument is made from %s', (_, schema, text, expected) => {
    expect(make({ type: 'object', properties: { value: schema }, required: ['value'] }, text)).toEqual({
      value: expected,
    });
  });

  it('a word that matched a pattern is used once', () => {
    const id: JsonObject = { type: 'string', pattern: '^[A-Z]-\\d{4}$' };
    const schema: JsonObject = { type: 'object', properties: { from: id, to: id }, required: ['from', 'to'] };
    expect(make(schema, 'Move A-1001 to B-2002')).toEqual({ from: 'A-1001', to: 'B-2002' });
  });

  it('the name of a file is taken from a sentence, and a value at its end by the name before it', () => {
    const text: JsonObject = { type: 'string' };
    const schema = (key: string): JsonObject => ({ type: 'object', properties: { [key]: text }, required: [key] });
    expect(make(schema('path'), 'Read the text file notes/release.txt.')).toEqual({ path: 'notes/release.txt' });
    expect(make(schema('article'), 'Count the stock: article chair')).toEqual({ article: 'chair' });
  });

  it.each([
    ['a pattern that is none', '('],
    ['a pattern that takes exponential time', '^(a+)+$'],
  ])('%s matches no word', (_, pattern) => {
    const schema: JsonObject = { type: 'object', properties: { id: { type: 'string', pattern } }, required: [] };
    expect(make(schema, `${'a'.repeat(60)}b`)).toEqual({});
  });

  it('optional properties are left out unless the text names them', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: { size: { type: 'integer' }, name: { type: 'string' }, mode: { enum: ['a1', 'b2'] } },
    };
    expect(make(schema, 'nothing here')).toEqual({});
    expect(make(schema, 'mode b2 with "x"')).toEqual({ name: 'x', mode: 'b2' });
  });

  const self: JsonObject = { $ref: '#' };
  const names = (n: number): string[] => Array.from({ length: n }, (_, index) => `name${index}`);
  const all = (n: number, schema: JsonObject): JsonObject => Object.fromEntries(names(n).map((name) => [name, schema]));
  it.each<[string, JsonObject, string]>([
    ['49,000 properties', { type: 'object', properties: all(49_000, {}) }, 'hello'],
    ['49,000 required ones', { type: 'object', properties: all(49_000, {}), required: names(49_000) }, 'hello'],
    ['49,000 flags', { type: 'object', properties: all(49_000, { type: 'boolean' }) }, 'on'],
    ['a choice of 40,000', { type: 'object', properties: { a: { enum: names(40_000) } } }, 'hello'],
    ['a schema that refers to itself 100 times', { type: 'object', properties: all(100, self) }, 'hello'],
    ['one that must', { type: 'object', properties: all(50, self), required: names(50) }, 'hello'],
    [
      'references that branch',
      { type: 'object', properties: { a: { allOf: [self, self, self] } }, allOf: [self, self] },
      'x',
    ],
    [
      'long texts in many places',
      { type: 'object', properties: all(4000, { type: 'string' }), required: names(4000) },
      'long '.repeat(4000),
    ],
    [
      'padded items',
      {
        type: 'object',
        properties: { a: { type: 'array', minItems: 1000, uniqueItems: true, items: { minLength: 10_000 } } },
        required: ['a'],
      },
      'hello',
    ],
  ])('%s: the work and the result are limited', (_, schema, text) => {
    const before = process.cpuUsage();
    expect(JSON.stringify(make(schema, text)).length).toBeLessThan(1_500_000);
    // Of the processor, which other programs use too.
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(1000);
  });
});
