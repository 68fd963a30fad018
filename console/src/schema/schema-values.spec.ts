import { choicesOf, defaultOf, inputTypeOf, typeOf } from './schema-values.js';

describe('forms of schemas', () => {
  it('begin with defaults, and with the properties that are required', () => {
    const schema = {
      type: 'object',
      properties: {
        name: { type: 'string' },
        size: { enum: ['s', 'm'] },
        gift: { type: 'boolean', default: true },
        tags: { type: 'array' },
        note: { type: 'string' },
        count: { type: 'integer' },
      },
      required: ['name', 'size', 'tags', 'count'],
    };
    expect(defaultOf(schema)).toEqual({ name: '', size: 's', gift: true, tags: [], count: undefined });
    expect(defaultOf({ default: 0, enum: [1] })).toBe(0);
  });

  it('offer the values of enum, with their names, and constants with their titles', () => {
    expect(choicesOf({ enum: ['a', 1], enumNames: ['First'] })).toEqual([
      { value: 'a', title: 'First' },
      { value: 1, title: '1' },
    ]);
    expect(choicesOf({ oneOf: [{ const: 'a', title: 'First' }, { const: 'b' }] })).toEqual([
      { value: 'a', title: 'First' },
      { value: 'b', title: 'b' },
    ]);
    expect(choicesOf({ oneOf: [{ const: 'a' }, { type: 'string' }] })).toBeUndefined();
    expect(choicesOf({ type: 'string' })).toBeUndefined();
  });

  it('have fields of the type of the value', () => {
    expect(typeOf({ type: ['null', 'integer'] })).toBe('integer');
    expect(typeOf({ properties: {} })).toBe('object');
    expect(
      [{ type: 'string', format: 'date' }, { type: 'string', format: 'ipv4' }, { type: 'number' }].map(inputTypeOf),
    ).toEqual(['date', 'text', 'number']);
  });
});
