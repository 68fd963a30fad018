import { join } from 'node:path';
import { readJson } from './fingerprint.mjs';

interface LockEntry {
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Where npm may have put a dependency of the package at `path`, nearest first. */
function places(path: string, name: string): string[] {
  const parts = path.split('/node_modules/');
  const above = parts.map((_, index) => parts.slice(0, index + 1).join('/node_modules/'));
  return [...above.reverse().map((parent) => `${parent}/node_modules/${name}`), `node_modules/${name}`];
}

describe('package-lock.json', () => {
  // `npm ci` refuses a lockfile that was made where the packages of other systems could not be had.
  it.each(['.', 'console', 'test'])('the packages of every system are listed (%s)', (folder) => {
    const lock = readJson(join(process.cwd(), folder, 'package-lock.json')) as { packages: Record<string, LockEntry> };
    const missing = Object.entries(lock.packages).flatMap(([path, entry]) =>
      Object.keys(entry.optionalDependencies ?? {}).filter((name) =>
        places(path, name).every((place) => !(place in lock.packages)),
      ),
    );
    expect(missing).toEqual([]);
  });
});
