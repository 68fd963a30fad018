import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Redis } from 'ioredis';
import { freePort } from './free-port.js';
import { until } from './until.js';

const PROGRAM = ['redis-server', 'valkey-server'].find((name) => spawnSync(name, ['--version']).status === 0);

/** Why specs with a Redis of their own are skipped; undefined if they can run. */
export const NO_REDIS_SERVER = PROGRAM ? undefined : 'there is no redis-server';

/** A Redis of its own: it can be stopped, paused and started again. It keeps nothing on the disk. */
export class RedisServer {
  private child: ChildProcess | undefined;

  private constructor(readonly port: number) {}

  /** Starts it on a free port and waits until it listens. */
  static async start(): Promise<RedisServer> {
    const server = new RedisServer(await freePort());
    await server.restart();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}/0`;
  }

  /** Starts it again, empty, after `stop`. */
  async restart(): Promise<void> {
    const options = ['--save', '', '--appendonly', 'no', '--bind', '127.0.0.1', '--port', String(this.port)];
    this.child = spawn(PROGRAM ?? 'redis-server', options, { stdio: 'ignore' });
    await until(() => this.listens(), 'Redis to listen');
  }

  /** Sends one command over a connection of its own. @throws Error if there is no answer */
  async command(name: string, ...args: string[]): Promise<unknown> {
    const client = new Redis(this.url, { lazyConnect: true, retryStrategy: null, maxRetriesPerRequest: 0 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await client.call(name, ...args);
    } finally {
      client.disconnect();
    }
  }

  /** Sends a signal: SIGSTOP pauses the process, SIGCONT resumes it. */
  signal(signal: NodeJS.Signals): void {
    this.child?.kill(signal);
  }

  /** Ends it at once. */
  async stop(): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (!child) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  private listens(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.port, '127.0.0.1');
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
  }
}
