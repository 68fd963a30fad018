// npm test: installs and builds when needed, then runs the specs that prove behaviour. With --long it runs the others
// instead: faults, browsers, packed projects, clusters; with --with-key those of stock clients, whose requests then have
// an API key. Other arguments go to jest, which then chooses among all specs.
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readJson } from './lib/fingerprint.mjs';
import { nodeVersionProblem } from './lib/node-version.mjs';
import { ALL_PARTS, ensureBuilt, ensureConsole, ensureInstalled, run } from './lib/project.mjs';
import { withoutGroups, writeSpecGroups } from './lib/spec-groups.mjs';
import { countsAfterRetry, countsOf, failedFiles, slowestFiles, summaryLine } from './lib/summary.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const report = join(root, '.cache/jest-results.json');

/**
 * Groups of tests that need a server, by the variable that names it.
 *
 * @type {readonly (readonly [string, string])[]}
 */
const SERVERS = [['TEST_DATABASE_URL', 'PostgreSQL runs skipped']];

/**
 * Specs that need minutes: they kill servers, drive browsers, pack and install projects, run generators and linters, or
 * render charts. `.ci/run` runs them after all others.
 */
const LONG = [
  'test/(fault|console|deploy|examples)/',
  'test/conformance/swagger-ui',
  'test/contract/(agents-guide|api-generators)',
  'test/e2e/(chat-page|embed-clients|examples|fleet-fairness|flood|package|tutorials)',
];

/** What --with-key leaves out: specs that test neither clients nor users and take long, and those that have keys anyway. */
const WITHOUT_CLIENTS =
  /malformed|pruned|shutdown|restart|swagger-ui|refus(als|ed)|responses\/(agents|open-responses)|runs\/(control|attachments)/;
const MODES = ['--long', '--with-key'];
/** Of several, the first counts. */
const mode = MODES.find((name) => process.argv.includes(name));

/** With more failed spec files than this, something is broken and nothing is run again. */
const MOST_REPEATED_FILES = 10;

const problem = nodeVersionProblem(process.versions.node);
if (problem !== undefined) console.error(problem);
const prepared = problem !== undefined ? 1 : await prepare();
process.exitCode = prepared === 0 ? await runJest() : prepared;
if (prepared !== 0) console.log(summaryLine(countsOf(undefined)));

/** @returns {Promise<number>} 0, or the exit code of what failed */
async function prepare() {
  return (
    (await ensureInstalled(root, { parts: ALL_PARTS })) || (await ensureBuilt(root)) || (await ensureConsole(root))
  );
}

/**
 * Runs jest. Spec files that fail in a run of everything are run once more, alone: a failure that comes from load and
 * not from the code is listed as flaky and does not fail the run.
 *
 * @returns {Promise<number>} jest's exit code
 */
async function runJest() {
  mkdirSync(join(root, '.cache'), { recursive: true });
  const given = process.argv.slice(2).filter((argument) => !MODES.includes(argument));
  const first = await jest([...selection(given), ...given]);
  const slowest = slowestFiles(first.report, root);
  if (slowest.length > 0) console.log(`Slowest spec files:\n${slowest.join('\n')}`);
  for (const [variable, consequence] of SERVERS) {
    if (!process.env[variable]) console.log(`${variable} is not set: ${consequence}`);
  }
  const failed = failedFiles(first.report);
  const repeat = given.length === 0 && failed.length > 0 && failed.length <= MOST_REPEATED_FILES;
  if (!repeat) {
    console.log(summaryLine(countsOf(first.report)));
    return first.code;
  }
  console.log(`\nRunning the ${failed.length} failed spec files once more, alone …`);
  const second = await jest(['--runInBand', '--runTestsByPath', ...failed]);
  const stillFailed = new Set(failedFiles(second.report));
  for (const file of failed.filter((name) => !stillFailed.has(name))) {
    console.log(`Flaky: ${relative(root, file)} failed at first and passed alone`);
  }
  console.log(summaryLine(countsAfterRetry(first.report, second.report)));
  return second.code;
}

/**
 * Which specs run, as arguments of jest.
 *
 * @param {readonly string[]} given the arguments of the user; with any, all specs are to be chosen from
 */
function selection(given) {
  if (mode === '--long') return ['--testPathPatterns', ...LONG];
  if (given.length > 0) return [];
  const groups =
    mode === '--with-key'
      ? writeSpecGroups(root, [WITHOUT_CLIENTS], ['test/conformance'])
      : writeSpecGroups(
          root,
          LONG.map((pattern) => new RegExp(`^${pattern}`)),
        );
  return ['--roots', ...new Set(groups.map(dirname)), '--runTestsByPath', ...groups];
}

/**
 * One run of jest.
 *
 * @param {readonly string[]} args
 */
async function jest(args) {
  rmSync(report, { force: true });
  const command = [join(root, 'test/node_modules/jest/bin/jest.js'), '--json', `--outputFile=${report}`, ...args];
  const env = { NODE_ENV: 'test', ...process.env, ...(mode === '--with-key' && { TEST_CALLER: 'key' }) };
  const code = await run(root, process.execPath, command, env);
  return { code, report: withoutGroups(readJson(report), root) };
}
