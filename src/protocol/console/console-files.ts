import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

const FOLDER = 'dist/console';

/**
 * The folder of the built console; undefined if it was not built. It belongs to the package, which is above this file
 * wherever that was compiled to.
 *
 * @param from the folder to start from
 */
export function consoleFolder(from: string = __dirname): string | undefined {
  const folder = join(from, FOLDER);
  if (existsSync(join(folder, 'index.html'))) return folder;
  const parent = dirname(from);
  return parent === from ? undefined : consoleFolder(parent);
}
