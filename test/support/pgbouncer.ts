import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { until } from './until.js';

const PROGRAM = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer'].find(existsSync);

/** Why specs with a pooler are skipped; undefined if they can run. */
export const NO_PGBOUNCER = PROGRAM ? undefined : 'there is no pgbouncer';

/** Its connections to each database. */
export const POOLED = 4;

/** A PgBouncer that gives each transaction a connection, in front of a PostgreSQL. */
export class PgBouncer {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    private readonly port: number,
  ) {}

  /** Starts it and waits until it listens. @param server URL of any database of the server behind it */
  static async start(server: string): Promise<PgBouncer> {
    const [url, port] = [new URL(server), await freePort()];
    const folder = await mkdtemp(join(tmpdir(), 'parley-pgbouncer-'));
    const password = url.password === '' ? '' : ` password=${decodeURIComponent(url.password)}`;
    const lines = [
      '[databases]',
      `* = host=${url.hostname} port=${url.port || '5432'} user=${decodeURIComponent(url.username)}${password}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = any',
      'pool_mode = transaction',
      `default_pool_size = ${POOLED}`,
      // It refuses to run as root.
      ...(process.getuid?.() === 0 ? ['user = nobody'] : []),
    ];
    await writeFile(join(folder, 'pgbouncer.ini'), lines.join('\n'));
    await chmod(folder, 0o755);
    const child = spawn(PROGRAM ?? 'pgbouncer', [join(folder, 'pgbouncer.ini')], { stdio: 'ignore' });
    const pooler = new PgBouncer(child, folder, port);
    await until(() => pooler.listens(), 'PgBouncer to listen');
    return pooler;
  }

  /** The URL of a database by way of the pooler. */
  urlOf(database: string): string {
    const url = new URL(database);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.toString();
  }

  async stop(): Promise<void> {
    const exited = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exited;
    await rm(this.folder, { recursive: true, force: true });
  }

  private listens(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.port, '127.0.0.1');
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
  }
}
