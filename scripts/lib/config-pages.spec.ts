import { configurationPage, environmentExample, type SettingSlice } from './config-pages.mjs';
import { firstDifference, stableJson } from './stable-json.mjs';

const SLICES: readonly SettingSlice[] = [
  {
    title: 'HTTP',
    declarations: {
      port: {
        name: 'PORT',
        description: 'The `port`.',
        rule: { expectation: 'a number' },
        defaultText: '8090',
        unset: '',
      },
      waitMs: {
        name: 'WAIT_MS',
        description: 'The wait.',
        rule: { expectation: 'a number', unit: 'ms' },
        defaultText: '5',
        unset: '',
      },
    },
  },
  {
    title: 'Model',
    declarations: {
      key: {
        name: 'KEY',
        description: 'a|b',
        rule: { expectation: '* or <file>' },
        defaultText: undefined,
        unset: 'none',
      },
    },
  },
];

describe('the pages generated from the settings', () => {
  it('every setting is in the table of its slice', () => {
    const page = configurationPage(SLICES);
    expect(page).toContain('## HTTP\n');
    expect(page).toContain('| `PORT` | `8090` | a number | The `port`. |');
    expect(page).toContain('| `WAIT_MS` | `5` | a number (ms) | The wait. |');
    expect(page).toContain('| `KEY` | none | \\* or &lt;file> | a\\|b |');
  });

  it('every variable is commented out in the example file', () => {
    const example = environmentExample(SLICES);
    expect(example).toContain('#PORT=8090\n');
    expect(example).toContain('#KEY=\n');
    for (const line of example.split('\n')) expect(line).toMatch(/^(#.*)?$/);
  });
});

describe('stableJson', () => {
  it('the JSON does not depend on the order of the keys', () => {
    expect(stableJson({ b: [{ d: 1, c: 2 }], a: null })).toBe(stableJson({ a: null, b: [{ c: 2, d: 1 }] }));
    expect(stableJson({})).toBe('{}\n');
  });
});

describe('firstDifference', () => {
  it('the first different line is returned, also at the end', () => {
    expect(firstDifference('a\nb', 'a\nb')).toBeUndefined();
    expect(firstDifference('a\nb\n', 'a\nc\n')).toBe('First difference in line 2:\n- b\n+ c');
    expect(firstDifference('a\nb', 'a')).toBe('First difference in line 2:\n- b\n+ (end)');
  });
});
