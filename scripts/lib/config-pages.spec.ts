import { configurationPage, environmentExample } from './config-pages.mjs';
import { firstDifference, stableJson } from './stable-json.mjs';

const SETTINGS = [
  { name: 'PORT', group: 'HTTP', description: 'The `port`.', rule: { expectation: 'a number' }, fallback: 8090 },
  { name: 'KEY', group: 'Model', description: 'a|b', rule: { expectation: '* or <file>' }, fallbackText: 'none' },
];

describe('the pages made from the settings', () => {
  it('lists every setting in a table of its group', () => {
    const page = configurationPage(SETTINGS);
    expect(page).toContain('## HTTP\n');
    expect(page).toContain('| `PORT` | `8090` | a number | The `port`. |');
    expect(page).toContain('| `KEY` | none | \\* or &lt;file> | a\\|b |');
  });

  it('has an example file in which everything is commented out', () => {
    const example = environmentExample(SETTINGS);
    expect(example).toContain('#PORT=8090\n');
    expect(example).toContain('#KEY=\n');
    for (const line of example.split('\n')) expect(line).toMatch(/^(#.*)?$/);
  });
});

describe('stableJson', () => {
  it('is the same whatever the order of the keys', () => {
    expect(stableJson({ b: [{ d: 1, c: 2 }], a: null })).toBe(stableJson({ a: null, b: [{ c: 2, d: 1 }] }));
    expect(stableJson({})).toBe('{}\n');
  });
});

describe('firstDifference', () => {
  it('shows the first line that differs, also at the end', () => {
    expect(firstDifference('a\nb', 'a\nb')).toBeUndefined();
    expect(firstDifference('a\nb\n', 'a\nc\n')).toBe('First difference in line 2:\n- b\n+ c');
    expect(firstDifference('a\nb', 'a')).toBe('First difference in line 2:\n- b\n+ (end)');
  });
});
