import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import packageJson from '../../package.json';
import { SERVER_FLAG } from '../runtime/index.js';
import { StartupError } from '../common/index.js';

/** The folder of this package: the parent of `dist`. */
const PACKAGE = resolve(__dirname, '../../..');
/** Files whose names begin with `_` are written with a dot, because npm does not pack all dot files. */
const TEMPLATES = join(PACKAGE, 'templates/project');
/** Each is a folder with a README, sources and tests that replace those of the template. */
const EXAMPLES = join(PACKAGE, 'examples');
/** What an example adds to the `package.json` of a project. */
const MANIFEST = 'manifest.json';
/** What every project has in common; the rest of the template is its agent, with its tests. */
const IS_COMMON = /^(_[^/\\]+|Dockerfile|tsconfig\.json)$/;
/** What npm accepts as the name of a package, without scopes. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,213}$/;
const DEVELOPMENT = ['@types/node', 'typescript'] as const;

/**
 * Which packages may run a script when they are installed, for versions of npm that ask: the driver of the embedded
 * database that Node.js 20 needs, which is compiled or downloaded (ADR 36). The others work without theirs.
 */
const INSTALL_SCRIPTS = {
  'better-sqlite3': Number.parseInt(process.versions.node, 10) < 22,
  '@scarf/scarf': false,
  'msgpackr-extract': false,
} as const;

/** The parts of a `package.json` that an example has of its own. */
interface ExampleManifest {
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** What `initProject` has written. */
export interface NewProject {
  /** Relative to the folder, sorted. */
  readonly files: readonly string[];
  /** Commands that work in the folder from where `initProject` was called. */
  readonly steps: readonly string[];
}

/**
 * Writes a small project into a new or empty folder: an agent, a tool, a test, a Dockerfile. It depends on this version
 * of Parley, from wherever it was installed; a tarball is copied into the project.
 *
 * @param folder its last part is the name of the project
 * @param example the example to start from; without it a project with one agent and one tool
 * @throws StartupError if the folder is not empty, the name cannot be that of a package, or there is no such example
 */
export function initProject(folder: string, example?: string): NewProject {
  const target = resolve(folder);
  const name = basename(target);
  if (!NAME.test(name)) {
    throw new StartupError(`"${name}" cannot be the name of a project: lower-case letters, digits, ., _ and - only.`);
  }
  if (existsSync(target) && (!statSync(target).isDirectory() || readdirSync(target).length > 0)) {
    throw new StartupError(`${folder} exists and is not empty. Choose another folder.`);
  }
  const source = example === undefined ? undefined : exampleFolder(example);
  mkdirSync(target, { recursive: true });
  for (const file of filesIn(TEMPLATES)) {
    if (source !== undefined && !IS_COMMON.test(file)) continue;
    write(target, file.replace(/(^|[/\\])_/, '$1.'), textOf(TEMPLATES, file).replaceAll('{{name}}', name));
  }
  if (source !== undefined) copyExample(source, target);
  const own = source === undefined ? {} : manifestOfExample(source);
  const manifest = manifestOf(name, parleyFor(target), own);
  write(target, 'package.json', `${JSON.stringify(manifest, null, 2)}\n`);
  const path = relative(process.cwd(), target);
  return {
    files: filesIn(target),
    steps: [
      ...(path === '' ? [] : [`cd ${path}`]),
      'npm install',
      'npm test',
      own.scripts?.['dev'] ? 'npm run dev' : 'npm start',
    ],
  };
}

/** The names of the examples that are projects, sorted; none where they were not installed. */
export function exampleNames(): readonly string[] {
  if (!existsSync(EXAMPLES)) return [];
  return (
    readdirSync(EXAMPLES, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      // Others are no projects with this package, such as an agent in Python.
      .filter((name) => existsSync(join(EXAMPLES, name, 'src')))
      .sort()
  );
}

function exampleFolder(example: string): string {
  const names = exampleNames();
  if (names.includes(example)) return join(EXAMPLES, example);
  throw new StartupError(`There is no example ${example}. The examples are ${names.join(', ')}.`);
}

function copyExample(source: string, target: string): void {
  for (const file of filesIn(source)) if (file !== MANIFEST) write(target, file, textOf(source, file));
}

function manifestOfExample(source: string): ExampleManifest {
  return existsSync(join(source, MANIFEST)) ? (JSON.parse(textOf(source, MANIFEST)) as ExampleManifest) : {};
}

/** The files of a folder and of those below it, relative to it, sorted. */
function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => statSync(join(folder, file)).isFile())
    .sort();
}

function textOf(folder: string, file: string): string {
  return readFileSync(join(folder, file), 'utf8');
}

function write(target: string, file: string, content: string): void {
  mkdirSync(dirname(join(target, file)), { recursive: true });
  writeFileSync(join(target, file), content);
}

function manifestOf(name: string, parley: string, example: ExampleManifest): object {
  const { peerDependencies, devDependencies, engines } = packageJson;
  return {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines,
    scripts: {
      build: 'tsc',
      prestart: 'tsc',
      start: `node ${SERVER_FLAG} dist/src/main.js`,
      pretest: 'tsc',
      test: 'node --test dist/test/*.test.js',
      ...example.scripts,
    },
    // Of the versions that the package accepts, those that it is tested with.
    dependencies: {
      ...Object.fromEntries(Object.keys(peerDependencies).map(tested)),
      [packageJson.name]: parley,
      ...example.dependencies,
    },
    devDependencies: {
      ...Object.fromEntries(DEVELOPMENT.map((one) => [one, devDependencies[one]])),
      ...example.devDependencies,
    },
    allowScripts: INSTALL_SCRIPTS,
  };
}

function tested(name: string): [name: string, range: string] {
  const { peerDependencies, devDependencies } = packageJson;
  const versions: Readonly<Record<string, string>> = { ...peerDependencies, ...devDependencies };
  return [name, versions[name] ?? '*'];
}

/** How the project depends on this package: as the folder does in which it is installed. */
function parleyFor(target: string): string {
  const user = resolve(PACKAGE, '../..');
  if (basename(dirname(PACKAGE)) !== 'node_modules') return `file:${PACKAGE}`;
  const { dependencies = {} } = JSON.parse(readFileSync(join(user, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>;
  };
  const wanted = dependencies[packageJson.name] ?? packageJson.version;
  if (!wanted.startsWith('file:')) return wanted;
  const source = resolve(user, wanted.slice('file:'.length));
  if (!statSync(source).isFile()) return `file:${source}`;
  const copy = `vendor/${basename(source)}`;
  mkdirSync(join(target, 'vendor'), { recursive: true });
  copyFileSync(source, join(target, copy));
  return `file:${copy}`;
}
