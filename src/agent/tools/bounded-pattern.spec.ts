import { BoundedPattern } from './bounded-pattern.js';
import { SchemaValidator } from './schema-validator.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('patterns of policies and schemas', () => {
  it.each<[string, string, boolean]>([
    ['^[a-z]+$', 'abc', true],
    ['^[a-z]+$', 'abC', false],
    ['^(a|b){2}$', 'ab', true],
    ['^(a|b){2}$', 'abc', false],
    ['\\(x\\)', 'y(x)', true],
    ['^(?=.*\\d)\\p{Lu}+\\d$', 'AB1', true],
  ])('the pattern %s is tested on "%s"', (source, subject, expected) => {
    expect(new BoundedPattern(source).test(subject)).toBe(expected);
    expect(String(new BoundedPattern(source))).toBe(String(new RegExp(source, 'u')));
  });

  it('an invalid pattern is refused', () => {
    expect(() => new BoundedPattern('(')).toThrow(SyntaxError);
  });

  it.each([
    '^(a|a?)+b$',
    '^(a+)+$',
    'a*a*a*a*a*a*a*a*a*b',
    'a*a?a?a?a?a?a?a?b',
    'a?a?a?a?a?a?a?a?a?a*b',
    'a{0,9}a{0,9}a{0,9}a{0,9}a{0,9}b',
    '[a]*[^b]?[a]?\\w?.?a?a?b',
    '(?:a|a|a|a|a|a)*?b',
  ])('%s does not match at its time limit', async (source) => {
    await turn();
    // Natively this would not come back.
    expect(new BoundedPattern(source).test(`${'a'.repeat(5000)}!`)).toBe(false);
    await turn();
    expect(new BoundedPattern('^(a)$').test('a')).toBe(true);
  });

  it('a list of values shares one time limit, which starts again in the next turn', async () => {
    const validator = new SchemaValidator();
    const schema = { type: 'object', properties: { list: { items: { pattern: '^(a|a?)+b$' } } } };
    const list = Array.from({ length: 2000 }, () => 'a'.repeat(200));
    expect(validator.violation(schema, { list })).toBe('the arguments object takes too long to check.');
    await turn();
    expect(validator.violation(schema, { list: ['aab'] })).toBeUndefined();
    expect(validator.violation(schema, { list: ['b!'] })).toContain('must match pattern');
  });
});
