import { TOOL_NAME, validNames } from './valid-name.js';

const of = (...names: string[]): string[] => [...validNames(names).values()];

describe('validNames', () => {
  it('valid names stay and others are made valid', () => {
    expect(of('get_weather', 'files.read', 'a b/c', 'Ωmega1')).toEqual([
      'get_weather',
      'files_read',
      'a_b_c',
      '_mega1',
    ]);
  });

  it('names that would be equal get a hash, in whatever order they come', () => {
    const names = ['files.read', 'files_read', 'files/read', 'x.y', 'x/y'];
    const valid = validNames(names);
    expect(valid.get('files_read')).toBe('files_read');
    expect(new Set(valid.values()).size).toBe(names.length);
    expect(Object.fromEntries(validNames([...names].reverse()))).toEqual(Object.fromEntries(valid));
    expect(valid.get('x.y')).toMatch(/^x_y_[0-9a-f]{8}$/);
  });

  it('long names are cut and stay different', () => {
    const names = ['x'.repeat(64), 'x'.repeat(80), `${'x'.repeat(80)}y`];
    const valid = of(...names);
    expect(valid[0]).toBe(names[0]);
    expect(new Set(valid).size).toBe(3);
    for (const name of valid) expect(name).toMatch(TOOL_NAME);
  });

  it('a name of which nothing is left is a hash', () => {
    const [one, other] = of('日历', '天气');
    expect(one).toMatch(/^tool_[0-9a-f]{8}$/);
    expect(other).not.toBe(one);
    expect(of('')).toEqual([expect.stringMatching(TOOL_NAME)]);
  });

  it('a rule of the model server is kept too', () => {
    const valid = validNames(['1st', '-x', '_1st', 'ok'], (name) => /^[A-Za-z_]/.test(name));
    expect(valid.get('ok')).toBe('ok');
    expect(valid.get('-x')).toBe('_-x');
    expect(valid.get('1st')).toMatch(/^_1st_[0-9a-f]{8}$/);
  });
});
