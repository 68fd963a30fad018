import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPlainObject } from '../common/index.js';

/** The name of this package for those that depend on it. */
const PACKAGE = 'parley-server';

/**
 * The settings of a command in a folder. The server of a project that depends on this package has no samples but the demo
 * model unless it says so (`SAMPLES` in its `src/main.ts`), so a command that stands for it has none either: a database of a
 * project gets no table of theirs.
 */
export function settingsIn(folder: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (env['SAMPLES'] !== undefined || !isOwnProject(folder)) return env;
  return Object.assign({}, env, { SAMPLES: 'model' });
}

/** Whether the package in a folder depends on this one. */
export function isOwnProject(folder: string): boolean {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    if (!isPlainObject(manifest)) return false;
    return [manifest['dependencies'], manifest['devDependencies']].some(
      (dependencies) => isPlainObject(dependencies) && PACKAGE in dependencies,
    );
  } catch {
    return false;
  }
}
