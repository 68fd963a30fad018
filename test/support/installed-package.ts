import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';

const ROOT = join(__dirname, '../..');
/** Packing takes its time, so the specs of a run share one tarball, for as long as no file that it may hold has changed. */
const PACKED = join(ROOT, '.cache/packed');
const SOURCES = ['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE', 'bin', 'dist', 'templates', 'examples'];
/** The packages of this repository: those of the server first. */
const PACKAGES = [join(ROOT, 'node_modules'), join(ROOT, 'test/node_modules')];
/** Optional packages, which are not there unless their user installs them. */
const OPTIONAL = new Set(['pg', 'ioredis', 'bullmq', '@aws-sdk']);
/** Of the environment of the tests, commands get these only. */
const PASSED_ON = ['PATH', 'HOME', 'TMPDIR'];

/** A program that has not ended by then is stopped. */
const LONGEST_MS = 120_000;

/** How a program ended. */
export interface ProgramEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * A folder in which the packed package is installed as npm would do it, without the optional packages. Its other
 * dependencies are links to those of this repository, so that nothing is downloaded or compiled.
 */
export class InstalledPackage {
  private constructor(
    /** The folder of the user, whose `package.json` depends on the tarball. */
    readonly folder: string,
    readonly tarball: string,
    /** The files of the tarball, without the leading `package/`. */
    readonly files: readonly string[],
  ) {}

  /**
   * Packs the build that exists and installs it.
   *
   * @param instead a `node_modules` whose packages take the place of those of the same names
   */
  static create(instead?: string): InstalledPackage {
    if (!existsSync(join(ROOT, 'dist/src/main.js'))) throw new Error('There is no build: run npm run build');
    const folder = mkdtempSync(join(tmpdir(), 'parley-package-'));
    const modules = join(folder, 'node_modules');
    mkdirSync(modules);
    const packed = packedTarball();
    const filename = basename(packed);
    const tarball = join(folder, filename);
    copyFileSync(packed, tarball);
    const list = execFileSync('tar', ['tzf', tarball], { encoding: 'utf8' }).trim().split('\n');
    execFileSync('tar', ['xzf', tarball, '-C', modules]);
    execFileSync('mv', [join(modules, 'package'), join(modules, 'parley-server')]);
    for (const from of [...(instead === undefined ? [] : [instead]), ...PACKAGES]) {
      for (const name of packagesIn(from)) {
        const target = join(modules, name);
        mkdirSync(dirname(target), { recursive: true });
        if (!isOptional(name) && !existsSync(target)) symlinkSync(join(from, name), target);
      }
    }
    symlinkSync('../parley-server/bin/parley.mjs', join(modules, '.bin/parley'));
    chmodSync(join(modules, 'parley-server/bin/parley.mjs'), 0o755);
    const manifest = { private: true, dependencies: { 'parley-server': `file:${filename}` } };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    return new InstalledPackage(
      folder,
      tarball,
      list.map((name) => name.replace(/^package\//, '')),
    );
  }

  /** Runs `parley` in a folder below this one. */
  parley(args: readonly string[], env: NodeJS.ProcessEnv = {}, cwd = '.'): Promise<ProgramEnd> {
    return this.run(
      process.execPath,
      [join(this.folder, 'node_modules/parley-server/bin/parley.mjs'), ...args],
      env,
      cwd,
    );
  }

  /** Runs a program to its end in a folder below this one, with nothing of the environment of the tests but its path. */
  async run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}, cwd = '.'): Promise<ProgramEnd> {
    const inherited = Object.fromEntries(PASSED_ON.map((name) => [name, process.env[name]]));
    const child = spawn(program, args, {
      cwd: join(this.folder, cwd),
      env: { ...inherited, ...env },
      stdio: 'pipe',
      timeout: LONGEST_MS,
    });
    child.stdin.end();
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await ended, stdout, stderr };
  }

  /** Writes a file, with its folders. */
  write(path: string, content: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), content);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The tarball of the present build. Several processes may pack at once; each sees a whole file. */
function packedTarball(): string {
  const folder = join(PACKED, fingerprintOf(SOURCES));
  if (!existsSync(folder)) {
    if (existsSync(PACKED)) for (const old of readdirSync(PACKED)) removeOld(join(PACKED, old));
    mkdirSync(PACKED, { recursive: true });
    const made = mkdtempSync(`${folder}-`);
    execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', made], { cwd: ROOT, stdio: 'pipe' });
    try {
      renameSync(made, folder);
    } catch {
      rmSync(made, { recursive: true, force: true });
    }
  }
  const [file = ''] = readdirSync(folder);
  return join(folder, file);
}

/** Files by name, size and time of their last change. */
function fingerprintOf(places: readonly string[]): string {
  const hash = createHash('sha256');
  for (const place of places) {
    const path = join(ROOT, place);
    const files = statSync(path).isDirectory() ? readdirSync(path, { recursive: true, encoding: 'utf8' }) : [''];
    for (const file of files.sort()) {
      const { size, mtimeMs } = statSync(join(path, file));
      hash.update(`${place}/${file} ${size} ${mtimeMs}\n`);
    }
  }
  return hash.digest('hex').slice(0, 16);
}

const HOUR_MS = 3_600_000;

/** Removes a tarball that no running test can be using. */
function removeOld(folder: string): void {
  if (Date.now() - statSync(folder).mtimeMs > HOUR_MS) rmSync(folder, { recursive: true, force: true });
}

function isOptional(name: string): boolean {
  return OPTIONAL.has(name.split('/', 1)[0] ?? '');
}

/** The names in a `node_modules`, those of scopes and of commands with their folder, as in `@scope/name`. */
function packagesIn(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((name) =>
    name.startsWith('@') || name === '.bin' ? readdirSync(join(folder, name)).map((one) => `${name}/${one}`) : [name],
  );
}
