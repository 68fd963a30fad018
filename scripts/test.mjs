// npm test: installs and builds when needed, then runs every spec. Arguments go to jest.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readJson } from './lib/fingerprint.mjs';
import { nodeVersionProblem } from './lib/node-version.mjs';
import { ensureBuilt, ensureInstalled, run } from './lib/project.mjs';
import { countsOf, slowestFiles, summaryLine } from './lib/summary.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const report = join(root, '.cache/jest-results.json');

/**
 * Groups of tests that need a server, by the variable that names it.
 *
 * @type {readonly (readonly [string, string])[]}
 */
const SERVERS = [['TEST_DATABASE_URL', 'PostgreSQL runs skipped']];

const problem = nodeVersionProblem(process.versions.node);
if (problem !== undefined) console.error(problem);
const prepared = problem !== undefined ? 1 : (await ensureInstalled(root)) || (await ensureBuilt(root));
process.exitCode = prepared === 0 ? await runJest() : prepared;
if (prepared !== 0) console.log(summaryLine(countsOf(undefined)));

/** @returns {Promise<number>} jest's exit code */
async function runJest() {
  mkdirSync(join(root, '.cache'), { recursive: true });
  rmSync(report, { force: true });
  const jest = join(root, 'node_modules/jest/bin/jest.js');
  const args = ['--json', `--outputFile=${report}`, ...process.argv.slice(2)];
  const code = await run(root, process.execPath, [jest, ...args], { NODE_ENV: 'test', ...process.env });
  const results = readJson(report);
  const slowest = slowestFiles(results, root);
  if (slowest.length > 0) console.log(`Slowest spec files:\n${slowest.join('\n')}`);
  for (const [variable, consequence] of SERVERS) {
    if (!process.env[variable]) console.log(`${variable} is not set: ${consequence}`);
  }
  console.log(summaryLine(countsOf(results)));
  return code;
}
