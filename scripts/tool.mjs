// node scripts/tool.mjs COMMAND …: runs a tool for developers (eslint, prettier, jest, tsc, depcruise, nest). It
// installs the packages of the tests when they are missing.
import { fileURLToPath } from 'node:url';
import { ALL_PARTS, ensureInstalled, run } from './lib/project.mjs';
import { toolPath } from './lib/tools.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
process.exitCode = (await ensureInstalled(root, { parts: ALL_PARTS, log: 'stderr' })) || (await main());

/** @returns {Promise<number>} the exit code of the tool */
async function main() {
  const [command = '', ...args] = process.argv.slice(2);
  const path = toolPath(root, command);
  if (path !== undefined) return run(root, process.execPath, [path, ...args]);
  console.error(`There is no tool ${command}`);
  return 2;
}
