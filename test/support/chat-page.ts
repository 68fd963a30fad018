import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { InstalledPackage } from './installed-package.js';
import { freePort } from './free-port.js';
import { until } from './until.js';

const START_TIMEOUT_MS = 60_000;
const PREVIEW = ['node_modules/vite/bin/vite.js', 'preview', 'page', '--host', '127.0.0.1', '--strictPort'];

const running = new Set<ChildProcessWithoutNullStreams>();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** The project of the example `chat-page`, built as its user builds it. */
export class ChatPage {
  private constructor(private readonly project: string) {}

  /** Writes the project with `parley init` and runs `npm run build` in it. */
  static async build(installed: InstalledPackage): Promise<ChatPage> {
    const name = 'my-page';
    const { code, stdout } = await installed.parley(['init', name, '--example', 'chat-page']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('  npm test\n  npm run dev\n')]);
    const project = join(installed.folder, name);
    symlinkSync('../node_modules', join(project, 'node_modules'));
    const built = await installed.run('npm', ['run', 'build'], {}, name);
    expect(built.code === 0 ? '' : `${built.stdout}${built.stderr}`).toBe('');
    return new ChatPage(project);
  }

  /** The script of its server. */
  get main(): string {
    return join(this.project, 'dist/src/main.js');
  }

  /** Serves the page with `vite preview`, which passes requests on to a server. */
  async preview(server: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
    const port = await freePort();
    const program = this.run([...PREVIEW, '--port', String(port)], { PARLEY_URL: server });
    const url = `http://127.0.0.1:${port}`;
    await program.until(async () => (await fetch(url)).ok, 'the page is served');
    return { url, stop: () => program.end('SIGKILL') };
  }

  /** What `npm run dev` starts, after the compiler. `stop` ends it like Ctrl-C, and waits until all of it has ended. */
  async develop(): Promise<{ readonly server: string; readonly page: string; stop(): Promise<void> }> {
    const server = `http://127.0.0.1:${await freePort()}`;
    const program = this.run(['dev.mjs'], { PORT: new URL(server).port, PARLEY_URL: server, NO_COLOR: '1' });
    await program.until(async () => (await fetch(`${server}/readiness`)).ok, 'the server is ready');
    const page = await program.until(
      () => /Local: +(http:\S+?)\/?\s/.exec(program.printed)?.[1] ?? false,
      'Vite is ready',
    );
    const isGone = async (): Promise<boolean> =>
      fetch(`${server}/readiness`).then(
        () => false,
        () => true,
      );
    return {
      server,
      page,
      async stop() {
        await program.end('SIGTERM');
        await until(isGone, 'the server has ended', START_TIMEOUT_MS);
      },
    };
  }

  private run(args: readonly string[], env: NodeJS.ProcessEnv): Program {
    const { PATH, HOME } = process.env;
    return new Program(
      spawn(process.execPath, args, { cwd: this.project, env: { PATH, HOME, ...env }, stdio: 'pipe' }),
    );
  }
}

/** A running program of the project. */
class Program {
  printed = '';

  constructor(private readonly child: ChildProcessWithoutNullStreams) {
    running.add(child);
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data: Buffer) => (this.printed += data.toString()));
    }
  }

  /** Waits for a condition, as long as the program runs. */
  until<T>(condition: () => T | Promise<T>, what: string): Promise<Exclude<T, false>> {
    const check = async (): Promise<T | false> => {
      if (this.child.exitCode !== null) return Promise.reject(new Error(`It has ended:\n${this.printed}`));
      return condition();
    };
    return until<T | false>(check, what, START_TIMEOUT_MS);
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill(signal);
    await ended;
    running.delete(this.child);
  }
}
