import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

const FOLDER = 'dist/console';

/** The page of the console in its folder. Builds write it last. */
export const CONSOLE_PAGE = 'index.html';

/**
 * The folder of the console, which may still have to be built; undefined if there is nothing compiled at all. It belongs
 * to the package, which is above this file wherever that was compiled to.
 *
 * @param from the folder to start from
 */
export function consoleFolder(from: string = __dirname): string | undefined {
  if (existsSync(join(from, 'package.json')) && existsSync(join(from, 'dist'))) return join(from, FOLDER);
  const parent = dirname(from);
  return parent === from ? undefined : consoleFolder(parent);
}
