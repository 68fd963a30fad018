import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { transformFile } from '@swc/core';

const ROOT = join(__dirname, '../..');
/** What a build is made of. */
const SOURCES = ['src', 'package.json'];

/** Why there is no earlier version to build: without its history, as in a shallow clone or an archive. */
export const NO_EARLIER_BUILD = missing();

/** A server of an earlier version, compiled from the history of the project, on the packages of this version. */
export class EarlierBuild {
  private constructor(
    private readonly folder: string,
    /** Its commit, or the name of its release. */
    readonly revision: string,
  ) {}

  /**
   * Compiles the newest release before this commit, or the commit before it if there is none. `UPGRADE_FROM` names
   * another one.
   */
  static async make(): Promise<EarlierBuild> {
    const revision = earlierRevision();
    const build = new EarlierBuild(await mkdtemp(join(tmpdir(), 'parley-earlier-')), revision);
    try {
      await build.compile();
    } catch (error) {
      await build.remove();
      throw error;
    }
    return build;
  }

  /** The script of the server's process. */
  get main(): string {
    return join(this.folder, 'dist/src/main.js');
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  private async compile(): Promise<void> {
    const { folder } = this;
    const archive = join(folder, 'sources.tar');
    git('archive', '--output', archive, this.revision, ...SOURCES);
    execFileSync('tar', ['-xf', archive, '-C', folder]);
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const files = readdirSync(join(folder, 'src'), { recursive: true, encoding: 'utf8' });
    const sources = files.filter((file) => /(?<!\.spec|\.d)\.ts$/.test(file));
    for (let first = 0; first < sources.length; first += 50) {
      await Promise.all(sources.slice(first, first + 50).map((file) => this.transpile(join('src', file))));
    }
    await writeFile(join(folder, 'dist/package.json'), readFileSync(join(folder, 'package.json')));
  }

  /** Types are not checked: this was done when the version was made. */
  private async transpile(file: string): Promise<void> {
    const { code } = await transformFile(join(this.folder, file), {
      configFile: false,
      swcrc: false,
      jsc: {
        parser: { syntax: 'typescript', decorators: true },
        transform: { legacyDecorator: true, decoratorMetadata: true },
        target: 'es2022',
        keepClassNames: true,
      },
      module: { type: 'commonjs', ignoreDynamic: true },
    });
    const target = join(this.folder, 'dist', relative('.', file).replace(/\.ts$/, '.js'));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, code);
  }
}

/** The newest release before this commit, or the commit before it. @throws Error without history */
function earlierRevision(): string {
  if (process.env.UPGRADE_FROM) return process.env.UPGRADE_FROM;
  const parent = git('rev-parse', '--verify', '--quiet', 'HEAD~1');
  try {
    return git('describe', '--tags', '--abbrev=0', '--match', 'v*', 'HEAD~1');
  } catch {
    return parent;
  }
}

function missing(): string | undefined {
  if (!existsSync(join(ROOT, '.git'))) return 'there is no git history';
  try {
    const { dependencies } = JSON.parse(git('show', `${earlierRevision()}:package.json`)) as {
      readonly dependencies: Readonly<Record<string, string>>;
    };
    const gone = Object.keys(dependencies).filter((name) => !existsSync(join(ROOT, 'node_modules', name)));
    return gone.length === 0 ? undefined : `the earlier version needs ${gone.join(', ')}`;
  } catch {
    return 'the commit before this one is not in the git history';
  }
}

function git(...args: readonly string[]): string {
  return execFileSync('git', ['-C', ROOT, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}
