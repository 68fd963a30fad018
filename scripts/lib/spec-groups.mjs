import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/**
 * jest loads every module anew for every file of tests, which takes longer than most of the tests. Specs that leave the
 * modules as they are share them: files of one part are described in one generated file, each below its own path.
 */
const FOLDER = '.cache/spec-groups';
const ROOTS = ['src', 'test', 'scripts', 'console/src'];
/** So many files of one folder share their modules: enough to save most of the loading, and few enough for all workers. */
const GROUP_SIZE = 16;
/**
 * A spec that replaces modules, counts what they do when they are new (`@alone`), or counts timers, which what earlier
 * specs left behind would start too, keeps them for itself. So does one that sets the environment when it is loaded, or
 * consists of other specs, which would be loaded once only.
 */
const IS_ALONE =
  /\bjest\.(mock|doMock|resetModules|isolateModules|useFakeTimers)\(|^ \* @alone\b|^\/\*\* @alone\b|^process\.env\b|^import '.*\.spec\.js'/m;

/** @typedef {{ name: string, status: string, startTime: number, endTime: number, assertionResults: readonly Result[] }} FileReport */
/** @typedef {{ status: string, duration?: number | null, ancestorTitles?: readonly string[] }} Result */

/**
 * Writes the groups of all specs in some folders, except of those in `excluded`.
 *
 * @param {string} root
 * @param {readonly RegExp[]} excluded patterns of paths that are relative to the root
 * @param {readonly string[]} folders
 * @returns {string[]} what jest is to run: the generated files, and specs that stay alone; absolute paths
 */
export function writeSpecGroups(root, excluded, folders = ROOTS) {
  const folder = join(root, FOLDER);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const specs = folders
    .flatMap((path) => specsIn(root, path))
    .filter((path) => !excluded.some((rule) => rule.test(path)));
  const alone = specs.filter((path) => IS_ALONE.test(readFileSync(join(root, path), 'utf8')));
  const groups = groupsOf(specs.filter((path) => !alone.includes(path)));
  const generated = groups.map((files, index) => {
    const file = join(folder, `${String(index + 1).padStart(3, '0')}.spec.ts`);
    writeFileSync(
      file,
      [...files.map((path) => group(path, relative(folder, join(root, path)))), padding(root, files)].join(''),
    );
    return file;
  });
  return [...generated, ...alone.map((path) => join(root, path))];
}

/**
 * jest's JSON report with the specs themselves in place of their groups. The time of a spec is then that of its tests.
 *
 * @template {{ testResults: readonly FileReport[] }} Report
 * @param {Report | undefined} report
 * @param {string} root
 * @returns {Report | undefined}
 */
export function withoutGroups(report, root) {
  if (report === undefined) return undefined;
  const folder = join(root, FOLDER);
  const testResults = report.testResults.flatMap((result) =>
    dirname(result.name) === folder ? membersOf(result, root) : [result],
  );
  return { ...report, testResults };
}

/**
 * @param {FileReport} result of a group
 * @param {string} root
 * @returns {FileReport[]}
 */
function membersOf(result, root) {
  const paths = [...readFileSync(result.name, 'utf8').matchAll(/^describe\("([^"]+)"/gm)].map(([, path]) =>
    String(path),
  );
  const couldRun = result.assertionResults.length > 0;
  return paths.map((path) => {
    const assertionResults = result.assertionResults.filter(({ ancestorTitles }) => ancestorTitles?.[0] === path);
    const failed = couldRun ? assertionResults.some(({ status }) => status === 'failed') : result.status === 'failed';
    const time = assertionResults.reduce((sum, { duration }) => sum + (duration ?? 0), 0);
    const status = failed ? 'failed' : 'passed';
    return { name: join(root, path), status, startTime: 0, endTime: time, assertionResults };
  });
}

/**
 * @param {string} root
 * @param {string} path a folder
 * @returns {string[]} paths that are relative to the root, sorted
 */
function specsIn(root, path) {
  return readdirSync(join(root, path), { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const inside = `${path}/${entry.name}`;
      if (entry.isDirectory()) return specsIn(root, inside);
      return inside.endsWith('.spec.ts') ? [inside] : [];
    });
}

/**
 * @param {readonly string[]} specs sorted
 * @returns {string[][]}
 */
function groupsOf(specs) {
  /** @type {Map<string, string[]>} */
  const parts = new Map();
  for (const path of specs) {
    // The kinds of tests in `test` load different modules; the folders of `src` load much the same.
    const [first = '', second = ''] = path.split('/');
    const part = first === 'test' ? `${first}/${second}` : first;
    parts.set(part, [...(parts.get(part) ?? []), path]);
  }
  return [...parts.values()].flatMap((files) => {
    const count = Math.ceil(files.length / GROUP_SIZE);
    // Dealt out like cards: neighbours, which are often slow alike, come into different groups.
    return Array.from({ length: count }, (_, index) => files.filter((__, place) => place % count === index));
  });
}

/**
 * @param {string} path
 * @param {string} from the group
 */
function group(path, from) {
  return `describe(${JSON.stringify(path)}, () => {\n  require(${JSON.stringify(from)});\n});\n`;
}

/**
 * Without times of an earlier run, jest starts the largest files first: a group is as large as its specs.
 *
 * @param {string} root
 * @param {readonly string[]} paths
 */
function padding(root, paths) {
  const size = paths.reduce((sum, path) => sum + statSync(join(root, path)).size, 0);
  return `${'// size '.padEnd(size, '.')}\n`;
}
