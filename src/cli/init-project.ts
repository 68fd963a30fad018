import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import packageJson from '../../package.json';
import { StartupError } from '../common/index.js';

/** The folder of this package: the parent of `dist`. */
const PACKAGE = resolve(__dirname, '../../..');
/** Files whose names begin with `_` are written with a dot, because npm does not pack all dot files. */
const TEMPLATES = join(PACKAGE, 'templates/project');
/** What npm accepts as the name of a package, without scopes. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,213}$/;
const DEVELOPMENT = ['@types/node', 'typescript'] as const;

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
 * @throws StartupError if the folder is not empty or the name cannot be that of a package
 */
export function initProject(folder: string): NewProject {
  const target = resolve(folder);
  const name = basename(target);
  if (!NAME.test(name)) {
    throw new StartupError(`"${name}" cannot be the name of a project: lower-case letters, digits, ., _ and - only.`);
  }
  if (existsSync(target) && (!statSync(target).isDirectory() || readdirSync(target).length > 0)) {
    throw new StartupError(`${folder} exists and is not empty. Choose another folder.`);
  }
  mkdirSync(target, { recursive: true });
  const files = readdirSync(TEMPLATES, { recursive: true, encoding: 'utf8' }).filter((file) =>
    statSync(join(TEMPLATES, file)).isFile(),
  );
  for (const file of files) write(target, file.replace(/(^|[/\\])_/, '$1.'), textOf(file).replaceAll('{{name}}', name));
  write(target, 'package.json', `${JSON.stringify(manifest(name, parleyFor(target)), null, 2)}\n`);
  const written = readdirSync(target, { recursive: true, encoding: 'utf8' }).filter((file) =>
    statSync(join(target, file)).isFile(),
  );
  const path = relative(process.cwd(), target);
  return {
    files: written.sort(),
    steps: [...(path === '' ? [] : [`cd ${path}`]), 'npm install', 'npm test', 'npm start'],
  };
}

function textOf(file: string): string {
  return readFileSync(join(TEMPLATES, file), 'utf8');
}

function write(target: string, file: string, content: string): void {
  mkdirSync(dirname(join(target, file)), { recursive: true });
  writeFileSync(join(target, file), content);
}

function manifest(name: string, parley: string): object {
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
      start: 'node dist/src/main.js',
      pretest: 'tsc',
      test: 'node --test dist/test/*.test.js',
    },
    dependencies: { ...peerDependencies, parley },
    devDependencies: Object.fromEntries(DEVELOPMENT.map((one) => [one, devDependencies[one]])),
  };
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
