import { hrefOf, placeOf } from './place.js';

describe('places of the console', () => {
  it('a place and its fragment are the same', () => {
    const href = hrefOf(['runs', 'a/b c'], { status: 'failed', text: 'x&y', agent: '', user: undefined });
    expect(href).toBe('#/runs/a%2Fb%20c?status=failed&text=x%26y');
    const { path, query } = placeOf(href);
    expect([path, [...query]]).toEqual([
      ['runs', 'a/b c'],
      [
        ['status', 'failed'],
        ['text', 'x&y'],
      ],
    ]);
  });

  it('a broken fragment is read as far as it goes', () => {
    expect(placeOf('#/runs/%E0%A4%A').path).toEqual(['runs', '%E0%A4%A']);
    expect(placeOf('').path).toEqual([]);
  });
});
