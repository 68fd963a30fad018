import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { TestDatabase } from './databases.js';
import { freePort } from './free-port.js';

type Env = Readonly<Record<string, string>>;

const ROOT = join(__dirname, '../..');
const MAIN = join(ROOT, 'dist/src/main.js');
const START_TIMEOUT_MS = 120_000;
/** What the server prints once it listens. */
const LISTENS = ' listens on http';
/** Nothing of the machine's own configuration reaches a server under test. */
const PASSED_ON = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'TZ'];

const running = new Set<ChildProcess>();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** The built server as a process of its own: it can be killed, and started again on the same data. */
export class ServerProcess {
  private child: ChildProcess | undefined;
  private log = '';

  private constructor(
    private readonly database: TestDatabase,
    private readonly env: Env,
    readonly port: number,
    private readonly main: string,
    private readonly program: readonly string[],
  ) {}

  /**
   * Starts a server on a free port and waits until it listens.
   *
   * @param main the script of the process, for a server with tools or agents of its own
   * @param program what runs the script, with its arguments: another Node.js, or a program that watches it
   */
  static async start(
    database: TestDatabase,
    env: Env = {},
    main = MAIN,
    program: readonly string[] = [process.execPath],
  ): Promise<ServerProcess> {
    const server = new ServerProcess(database, env, await freePort(), main, program);
    await server.restart();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The system's id of the process; undefined once it has ended. */
  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** What the process has written so far, since its last start. */
  get output(): string {
    return this.log;
  }

  /**
   * Starts the server again after it has ended: the same port, the same data.
   *
   * @param limits.fileBytes no file may grow beyond it: what a disk without room is to the server
   */
  async restart(limits: { readonly fileBytes?: number } = {}): Promise<void> {
    if (this.child) throw new Error('The server still runs');
    if (!existsSync(MAIN)) throw new Error(`${MAIN} is missing: run npm run build`);
    const inherited = Object.fromEntries(
      PASSED_ON.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
    );
    const [command, args] = limited([...this.program, this.main], limits.fileBytes);
    const child = spawn(command, args, {
      cwd: this.database.env.DATA_DIR,
      env: {
        ...inherited,
        LOG_LEVEL: 'warn',
        LLM_START_CHECK: 'false',
        DATABASE_WAIT_MS: '10000',
        ...this.database.env,
        PORT: String(this.port),
        ...this.env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    this.log = '';
    running.add(child);
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data: Buffer) => (this.log += data.toString()));
    child.once('exit', () => {
      running.delete(child);
      this.child = undefined;
    });
    await this.listening(child);
  }

  /** `kill -9`: the process cannot clean up. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Asks the process to stop. Returns its exit code. */
  async terminate(): Promise<number | null> {
    return this.end('SIGTERM');
  }

  /** Ends the process if it still runs. Call it in `afterAll`. */
  async stop(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Sends a signal without waiting: SIGSTOP pauses the process, SIGCONT resumes it. */
  signal(signal: NodeJS.Signals): void {
    this.child?.kill(signal);
  }

  private async end(signal: NodeJS.Signals): Promise<number | null> {
    const { child } = this;
    if (!child) return null;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
    return child.exitCode;
  }

  private async listening(child: ChildProcess): Promise<void> {
    const starting = new AbortController();
    const timer = setTimeout(() => starting.abort(), START_TIMEOUT_MS);
    child.once('close', () => starting.abort());
    while (!this.log.includes(LISTENS)) {
      await once(child.stdout as Readable, 'data', { signal: starting.signal }).catch(() => undefined);
      if (!starting.signal.aborted) continue;
      clearTimeout(timer);
      await this.stop();
      throw new Error(`The server did not start:\n${this.log}`);
    }
    clearTimeout(timer);
  }
}

/** A command, with a limit of the file size if one is given. The shell counts blocks of 512 bytes. */
function limited(command: readonly string[], fileBytes: number | undefined): [string, readonly string[]] {
  const [program = '', ...args] = command;
  if (fileBytes === undefined) return [program, args];
  const script = `trap '' XFSZ; ulimit -f ${Math.ceil(fileBytes / 512)}; exec "$0" "$@"`;
  return ['/bin/sh', ['-c', script, ...command]];
}
