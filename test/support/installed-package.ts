import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';

const ROOT = join(__dirname, '../..');
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

  /** Packs the build that exists and installs it. */
  static create(): InstalledPackage {
    if (!existsSync(join(ROOT, 'dist/src/main.js'))) throw new Error('There is no build: run npm run build');
    const folder = mkdtempSync(join(tmpdir(), 'parley-package-'));
    const modules = join(folder, 'node_modules');
    mkdirSync(modules);
    const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
    const [{ filename }] = JSON.parse(execFileSync('npm', pack, { cwd: ROOT, encoding: 'utf8' })) as [
      { filename: string },
    ];
    const tarball = join(folder, filename);
    const list = execFileSync('tar', ['tzf', tarball], { encoding: 'utf8' }).trim().split('\n');
    execFileSync('tar', ['xzf', tarball, '-C', modules]);
    execFileSync('mv', [join(modules, 'package'), join(modules, 'parley')]);
    link(['.', 'test'], modules);
    const manifest = { private: true, dependencies: { parley: `file:${filename}` } };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    return new InstalledPackage(
      folder,
      tarball,
      list.map((name) => name.replace(/^package\//, '')),
    );
  }

  /** Runs `parley` in a folder below this one. */
  parley(args: readonly string[], env: NodeJS.ProcessEnv = {}, cwd = '.'): Promise<ProgramEnd> {
    return this.run(process.execPath, [join(this.folder, 'node_modules/parley/bin/parley.mjs'), ...args], env, cwd);
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

/**
 * Links the packages that are installed in folders of this repository. The first folder that has a package wins; a
 * scope that several have becomes a folder of links.
 */
function link(folders: readonly string[], target: string): void {
  for (const folder of folders) {
    const modules = join(ROOT, folder, 'node_modules');
    for (const name of readdirSync(modules)) {
      if (OPTIONAL.has(name) || name === 'parley' || name === '.bin') continue;
      for (const path of name.startsWith('@')
        ? readdirSync(join(modules, name)).map((one) => join(name, one))
        : [name]) {
        if (existsSync(join(target, path))) continue;
        mkdirSync(dirname(join(target, path)), { recursive: true });
        symlinkSync(join(modules, path), join(target, path));
      }
    }
    linkCommands(join(modules, '.bin'), join(target, '.bin'));
  }
}

function linkCommands(commands: string, target: string): void {
  mkdirSync(target, { recursive: true });
  for (const name of readdirSync(commands)) {
    if (!existsSync(join(target, name))) symlinkSync(join(commands, name), join(target, name));
  }
}
