import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readDatabase } from '../app.module.js';
import { settingsIn } from './own-project.js';

describe('the settings of a command in a project of its own', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'parley-project-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const tablesOfSamples = (manifest: object | undefined, env: NodeJS.ProcessEnv = {}): number => {
    if (manifest) writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    return readDatabase(settingsIn(folder, Object.assign({ DATA_DIR: folder }, env))).extensions.length;
  };

  it.each([
    ['a project that depends on the package', { dependencies: { 'parley-server': '1.0.0' } }, {}, 0],
    ['a project that asks for the samples', { dependencies: { 'parley-server': '1.0.0' } }, { SAMPLES: 'on' }, 1],
    ['another package', { dependencies: { express: '5.0.0' } }, {}, 1],
    ['a folder without a package', undefined, {}, 1],
    ['a server that has no samples', undefined, { SAMPLES: 'model' }, 0],
  ])('%s', (_, manifest, env, tables) => {
    expect(tablesOfSamples(manifest, env)).toBe(tables);
  });
});
