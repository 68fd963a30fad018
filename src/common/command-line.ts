import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** npm's scripts, by the commands of `parley` that they stand for. */
const SCRIPTS = {
  key: 'key',
  tenant: 'tenant',
  usage: 'usage',
  audit: 'audit',
  data: 'data',
  migrate: 'migration:run',
} as const;

/** True in a clone of the repository, whose scripts build before they run. The package does not contain them. */
const isClone = existsSync(join(__dirname, '../../../scripts/manage.mjs')) || __filename.endsWith('.ts');

/**
 * How a user of this installation runs a command, for messages: `npm run key --` in a clone of the repository,
 * `npx parley key` where the package is installed.
 *
 * @param options.isQuiet prints nothing but the result
 */
export function commandLine(command: keyof typeof SCRIPTS, options: { readonly isQuiet?: boolean } = {}): string {
  if (!isClone) return `npx parley ${command}`;
  const arguments_ = command === 'migrate' ? '' : ' --';
  return `npm run ${options.isQuiet ? '--silent ' : ''}${SCRIPTS[command]}${arguments_}`;
}
