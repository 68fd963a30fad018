import { Linter } from 'eslint';
import { importOrder } from './import-order.mjs';

describe('the order of imports', () => {
  const fixed = (...lines: string[]): string[] => {
    const linter = new Linter();
    const config = {
      plugins: { house: { rules: { order: importOrder } } },
      rules: { 'house/order': 'error' },
    } as const;
    return linter.verifyAndFix(lines.join('\n'), config).output.split('\n');
  };

  it('Node, packages, parents and neighbors follow each other, and stay as they are within a group', () => {
    const [node, two, one] = ["import a from 'node:b';", "import { z } from 'z';", "import b from 'b';"];
    const [far, near, here] = ["import '../../c.js';", "import {\n  d,\n} from '../d.js';", "import e from './e.js';"];
    expect(fixed(here, near, two, node, far, one, 'f();').join('\n')).toBe(
      [node, two, one, far, near, here, 'f();'].join('\n'),
    );
  });

  it('a comment between imports is left to people', () => {
    const lines = ["import './b.js';", '// first of all', "import 'a';"];
    expect(fixed(...lines)).toEqual(lines);
  });
});
