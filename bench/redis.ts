import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { freePort } from '../test/support/free-port.js';

const PROGRAM = ['redis-server', 'valkey-server'].find((name) => spawnSync(name, ['--version']).status === 0);
/** How often a new server is tried, and the pause in between in milliseconds. */
const TRIES = 100;
const PAUSE_MS = 50;

/** A Redis of the benchmark, which keeps nothing on the disk. */
export class ScratchRedis {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  /** Starts it on a free port; undefined if there is none on this machine. */
  static async start(): Promise<ScratchRedis | undefined> {
    if (PROGRAM === undefined) return undefined;
    const port = await freePort();
    const options = ['--save', '', '--appendonly', 'no', '--bind', '127.0.0.1', '--port', String(port)];
    const child = spawn(PROGRAM, options, { stdio: 'ignore' });
    process.once('exit', () => child.kill('SIGKILL'));
    for (let tries = 0; !(await listens(port)); tries += 1) {
      if (tries === TRIES) throw new Error(`${PROGRAM} does not listen`);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    return new ScratchRedis(child, `redis://127.0.0.1:${port}/0`);
  }

  async stop(): Promise<void> {
    const exited = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exited;
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
