import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { transformFileSync } from '@swc/core';
import { freePort } from './free-port.js';
import { until } from './until.js';

const START_TIMEOUT_MS = 120_000;

const running = new Set<ChildProcess>();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** How the server of a project is started. */
interface ProjectStart {
  /** The arguments of Node.js. Default: the compiled `main.js`. */
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** What it prints before it is used. */
  readonly expected?: RegExp | undefined;
}

/**
 * Starts a program of a project as `npm start` does, uses it when it is ready and has printed what is expected, and stops
 * it with SIGTERM. Returns its exit code.
 *
 * @param project the folder of the project
 */
export async function withProjectServer(
  project: string,
  use: (url: string) => Promise<void>,
  start: ProjectStart = {},
): Promise<number | null> {
  const server = await ProjectServer.start(project, start);
  try {
    await use(server.url);
  } finally {
    await server.stop();
  }
  return server.exitCode;
}

class ProjectServer {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
  ) {}

  get exitCode(): number | null {
    return this.child.exitCode;
  }

  static async start(
    project: string,
    { args = ['dist/src/main.js'], env = {}, expected = /^/ }: ProjectStart,
  ): Promise<ProjectServer> {
    const port = Number(env['PORT'] ?? (await freePort()));
    const { PATH, HOME, TMPDIR } = process.env;
    const child = spawn(process.execPath, args, {
      cwd: project,
      env: { PATH: `${join(project, '../node_modules/.bin')}:${PATH}`, HOME, TMPDIR, PORT: String(port), ...env },
    });
    running.add(child);
    let printed = '';
    const note = (bytes: Buffer): void => void (printed += bytes.toString());
    child.stdout.on('data', note);
    child.stderr.on('data', note);
    const url = `http://127.0.0.1:${port}`;
    const isUp = async (): Promise<boolean> => expected.test(printed) && (await isReady(url));
    try {
      await until(async () => child.exitCode !== null || (await isUp()), 'the project has started', START_TIMEOUT_MS);
      if (child.exitCode !== null) throw new Error(`The project has ended:\n${printed}`);
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
    return new ProjectServer(url, child);
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
    running.delete(this.child);
  }
}

/** An application that mounts the server elsewhere answers without `/readiness`: it is up once it answers at all. */
async function isReady(url: string): Promise<boolean> {
  try {
    const { status } = await fetch(`${url}/readiness`);
    return status === 200 || status === 404;
  } catch {
    return false;
  }
}

/** Compiles a project without the checks of types, which the compiler of this repository makes. */
export function compileProject(project: string): void {
  for (const folder of ['src', 'test']) {
    for (const file of readdirSync(join(project, folder)).filter((name) => name.endsWith('.ts'))) {
      const { code } = transformFileSync(join(project, folder, file), {
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          target: 'es2022',
        },
        module: { type: 'es6' },
      });
      const output = join(project, 'dist', folder, file.replace(/ts$/, 'js'));
      mkdirSync(dirname(output), { recursive: true });
      writeFileSync(output, code);
    }
  }
}
