// Counts the lines of source files.
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** Files that are not counted: specs and what only they use, generated migrations and types. */
const NOT_COUNTED = /\.spec\.ts$|\.d\.ts$|(^|\/)(testing|migrations)\/|^client\/api\.ts$/;

/** Equal lines in a row, neither blank nor comments nor imports, that make two files look alike. */
const ALIKE_LINES = 8;
/** Files that are used once by nature: what Nest binds, and what each wire has one of. */
const ROLE =
  /\.(controllers?|module|entity|dto|settings|metrics|guard|filter|interceptor|gateway|verifier|channel|tool|agent|migration|sql|encoder|errors)\.ts$|(^|\/)(dto\/.+|(index|api-docs)\.ts$)|\/adapters\/[^/]+\.ts$/;

/**
 * @typedef {object} SourceFigures
 * @property {number} files
 * @property {number} median lines of a file
 * @property {number} p90 lines that nine of ten files do not exceed
 * @property {{path: string, lines: number}} largest
 * @property {{path: string, lines: number}[]} tooLong files of more lines than allowed
 * @property {number} comments percentage of the lines that are not blank
 * @property {string[]} single files that exactly one other file imports
 * @property {string[]} fragments those of them that have no role by which Nest, the schema or the settings use them once
 * @property {[string, string][]} alike pairs of files with eight equal lines in a row
 */

/**
 * The figures of a folder of TypeScript files.
 *
 * @param {string} folder
 * @param {number} maxLines
 * @returns {SourceFigures}
 */
export function sourceFigures(folder, maxLines) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts') && !NOT_COUNTED.test(path))
    .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }))
    .map((file) => ({ ...file, ...lineCounts(file.text) }))
    .sort((a, b) => a.lines - b.lines);
  /** @param {number} share */
  const at = (share) => files[Math.ceil(files.length * share) - 1]?.lines ?? 0;
  const comments = files.reduce((total, file) => total + file.comments, 0);
  const written = files.reduce((total, file) => total + file.written, 0);
  const single = importedOnce(files);
  return {
    files: files.length,
    median: at(0.5),
    p90: at(0.9),
    largest: files.at(-1) ?? { path: '', lines: 0 },
    tooLong: files.filter(({ lines }) => lines > maxLines),
    comments: written === 0 ? 0 : (100 * comments) / written,
    single,
    fragments: single.filter((path) => !ROLE.test(path)),
    alike: alikePairs(files),
  };
}

/** What a file imports or hands on: the names, or `*`, and the module. */
const STATEMENT =
  /(?:import|export)\s+(?:type\s+)?(?:\{([^}]*)\}|\*[^']*|\w[^']*)\s*from\s*'(\.{1,2}\/[^']+)\.js'|import\('(\.{1,2}\/[^']+)\.js'\)/g;
const DECLARED = /^export (?:declare )?(?:abstract )?(?:async )?(?:class|function\*?|const|interface|type)\s+(\w+)/gm;

/**
 * Files that exactly one other imports. What is imported from an index counts as imported from the file that declares it;
 * the index itself counts as an importer of what nobody else imports.
 *
 * @param {readonly {path: string, text: string}[]} files
 * @returns {string[]}
 */
export function importedOnce(files) {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  /** @type {Map<string, Set<string>>} */
  const importers = new Map(files.map(({ path }) => [path, new Set()]));
  /** @type {Map<string, Set<string>>} */
  const handedOn = new Map(files.map(({ path }) => [path, new Set()]));
  for (const { path, text } of files) {
    for (const { names, module } of statementsOf(path, text)) {
      const isIndex = posix.basename(path) === 'index.ts';
      if (isIndex) handedOn.get(module)?.add(path);
      else for (const file of declaringFiles(module, names, texts)) importers.get(file)?.add(path);
    }
  }
  return [...importers]
    .filter(([path, { size }]) => (size === 0 ? handedOn.get(path)?.size : size) === 1)
    .map(([path]) => path)
    .sort();
}

/**
 * The module itself, or the files behind it that declare the names if it is an index.
 *
 * @param {string} module
 * @param {readonly string[] | undefined} names undefined: all of them
 * @param {ReadonlyMap<string, string>} texts
 * @returns {string[]}
 */
function declaringFiles(module, names, texts) {
  const text = texts.get(module);
  if (text === undefined) return [];
  if (posix.basename(module) !== 'index.ts') return [module];
  const declared = names?.filter((name) => !namesIn(text).has(name)) ?? [];
  const behind = statementsOf(module, text).flatMap((one) => {
    const wanted = (names ?? []).filter((name) => one.names === undefined || one.names.includes(name));
    return wanted.flatMap((name) =>
      declaringFiles(one.module, [name], texts).filter((file) => namesIn(texts.get(file) ?? '').has(name)),
    );
  });
  return behind.length > 0 || declared.length === names?.length ? [...new Set(behind)] : [module];
}

/**
 * @param {string} path
 * @param {string} text
 * @returns {{names: string[] | undefined, module: string}[]}
 */
function statementsOf(path, text) {
  return [...text.matchAll(STATEMENT)].map(([, names, from, dynamic]) => ({
    names: names
      ?.split(',')
      .map((name) =>
        name
          .replace(/^\s*type\s/, '')
          .replace(/\sas\s.*/, '')
          .trim(),
      )
      .filter((name) => name !== ''),
    module: `${posix.join(posix.dirname(path), from ?? dynamic ?? '')}.ts`,
  }));
}

/**
 * The names that a file declares and exports.
 *
 * @param {string} text
 * @returns {ReadonlySet<string>}
 */
function namesIn(text) {
  return new Set([...text.matchAll(DECLARED)].map(([, name = '']) => name));
}

/**
 * Pairs of files that have the same eight lines in a row. Names and white space count, so that a pair is a copy.
 *
 * @param {readonly {path: string, text: string}[]} files
 * @returns {[string, string][]}
 */
export function alikePairs(files) {
  /** @type {Map<string, Set<string>>} */
  const places = new Map();
  for (const { path, text } of files) {
    const lines = codeLines(text);
    for (let at = 0; at + ALIKE_LINES <= lines.length; at += 1) {
      const passage = lines.slice(at, at + ALIKE_LINES).join('\n');
      const found = places.get(passage);
      if (found) found.add(path);
      else places.set(passage, new Set([path]));
    }
  }
  const pairs = new Set();
  for (const paths of places.values()) {
    const sorted = [...paths].sort();
    sorted.forEach((one, index) => sorted.slice(index + 1).forEach((other) => pairs.add(`${one}\n${other}`)));
  }
  return [...pairs].sort().map((pair) => pair.split('\n'));
}

/**
 * The lines of a file without blank ones, comments and imports.
 *
 * @param {string} text
 * @returns {string[]}
 */
function codeLines(text) {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^import [^;]*;$/gm, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('//') && !line.startsWith('export * from'));
}

/**
 * @param {string} text
 * @returns {{lines: number, written: number, comments: number}} all lines, those that are not blank, and comment lines
 */
export function lineCounts(text) {
  const lines = text.replace(/\n$/, '').split('\n');
  let [written, comments, isOpen] = [0, 0, false];
  for (const line of lines.map((one) => one.trim()).filter((one) => one !== '')) {
    written += 1;
    if (isOpen || line.startsWith('//') || line.startsWith('/*')) comments += 1;
    if (isOpen || line.startsWith('/*')) isOpen = !line.includes('*/');
  }
  return { lines: lines.length, written, comments };
}
