import { acceptedLocale } from './locale.js';

describe('the language of an Accept-Language header', () => {
  it.each<[string | undefined, string | undefined]>([
    [undefined, undefined],
    ['', undefined],
    ['*', undefined],
    ['de', 'de'],
    ['zh-cn', 'zh-CN'],
    ['fr-CH, fr;q=0.9, en;q=0.8', 'fr-CH'],
    ['en;q=0.5, de;q=0.7, fr;q=0.7', 'de'],
    ['*, en;q=0.1', 'en'],
    ['de;q=0, en;q=0.001', 'en'],
    ['de;q=0', undefined],
    ['de;q=2, en;q=x, fr; Q = 0.2', 'fr'],
    ['not a tag, x'.repeat(3), undefined],
    ['12, --, en_US, \0, de-DE', 'de-DE'],
    [`${'x,'.repeat(100)}de`, undefined],
  ])('the language of %j is %j', (header, tag) => {
    expect(acceptedLocale(header)).toBe(tag);
  });
});
