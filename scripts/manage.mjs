// npm run key -- COMMAND, npm run tenant -- COMMAND, npm run usage -- COMMAND, npm run audit -- COMMAND, npm run data -- COMMAND, npm run model: commands of parley with the settings of the
// environment and of .env, as npm start has them. Only the result is written to stdout; the rest goes to stderr.
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { nodeVersionProblem } from './lib/node-version.mjs';

process.exitCode = await main();

/** @returns {Promise<number>} exit code */
async function main() {
  const problem = nodeVersionProblem(process.versions.node);
  if (problem !== undefined) {
    console.error(problem);
    return 1;
  }
  const root = fileURLToPath(new URL('..', import.meta.url));
  process.chdir(root);
  const { ensureBuilt, ensureInstalled } = await import('./lib/project.mjs');
  const failed = (await ensureInstalled(root, { log: 'stderr' })) || (await ensureBuilt(root, { log: 'stderr' }));
  if (failed !== 0) return failed;
  if (existsSync('.env')) process.loadEnvFile('.env');
  const { runProgram } = await import(pathToFileURL('dist/src/cli/program.js').href);
  return runProgram(process.argv.slice(2), process.env, {
    out: (/** @type {string} */ line) => process.stdout.write(`${line}\n`),
    note: (/** @type {string} */ line) => process.stderr.write(`${line}\n`),
    input: () => text(process.stdin),
  });
}
