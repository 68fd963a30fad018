import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort } from './free-port.js';
import { until } from './until.js';

const VERSIONS = '/usr/lib/postgresql';
const BIN = binaries();
/** PostgreSQL refuses to run as root. */
const USER = process.getuid?.() === 0 ? postgresUser() : {};

/** Why specs with a PostgreSQL of their own are skipped; undefined if they can run. */
export const NO_POSTGRES_SERVER = BIN && USER ? undefined : 'PostgreSQL is not installed, or there is no user for it';

/** A PostgreSQL of its own, with the default settings of durability: it can crash, and be started again. */
export class PostgresServer {
  private child: ChildProcess | undefined;

  private constructor(
    private readonly folder: string,
    readonly port: number,
  ) {}

  /** Makes an empty cluster, starts it and waits until it answers. */
  static async start(): Promise<PostgresServer> {
    return PostgresServer.made('initdb', (data) => ['-D', data, '-A', 'trust', '-E', 'UTF8']);
  }

  /** Makes an asynchronous standby and waits until it answers. @param port where it reaches its primary, on this machine */
  static async standby(port: number): Promise<PostgresServer> {
    const source = ['-h', '127.0.0.1', '-p', String(port), '-R', '-X', 'stream', '-c', 'fast'];
    return PostgresServer.made('pg_basebackup', (data) => ['-D', data, ...source]);
  }

  /** Starts a cluster that a program makes. */
  private static async made(program: string, options: (data: string) => readonly string[]): Promise<PostgresServer> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-postgres-'));
    await chmod(folder, 0o755);
    const data = join(folder, 'data');
    mkdirSync(data, { mode: 0o700 });
    if (USER?.uid !== undefined) for (const path of [folder, data]) chownSync(path, USER.uid, USER.gid ?? USER.uid);
    const values = [...options(data), '-U', 'postgres', '--no-sync'];
    // This process may forward its connections.
    const making = spawn(join(BIN ?? '', program), values, {
      ...USER,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let output = '';
    making.stderr.on('data', (text: Buffer) => (output += text.toString()));
    const [code] = (await once(making, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`${program} failed: ${output}`);
    const server = new PostgresServer(folder, await freePort());
    await server.restart();
    return server;
  }

  /** Makes a standby a primary, with what it has received. */
  async promote(): Promise<void> {
    const client = new Client({ connectionString: this.url });
    await client.connect();
    await client.query('SELECT pg_promote()');
    await client.end();
  }

  /** The URL of a database that it has from the beginning. */
  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  /** Starts it again after a crash: it recovers what was committed. */
  async restart(): Promise<void> {
    const options = ['-D', join(this.folder, 'data'), '-p', String(this.port), '-k', this.folder];
    this.child = spawn(join(BIN ?? '', 'postgres'), [...options, '-c', 'listen_addresses=127.0.0.1'], {
      ...USER,
      cwd: this.folder,
      stdio: 'ignore',
    });
    await until(() => this.answers(), 'PostgreSQL to answer', 60_000);
  }

  /** Ends all its processes at once, without a checkpoint and without a word to its clients. */
  async crash(): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (!child) return;
    const exited = once(child, 'exit');
    child.kill('SIGQUIT');
    await exited;
  }

  async stop(): Promise<void> {
    await this.crash();
    await rm(this.folder, { recursive: true, force: true });
  }

  private async answers(): Promise<boolean> {
    const client = new Client({ connectionString: this.url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.end();
      return true;
    } catch {
      return false;
    }
  }
}

/** The folder of its programs; undefined if it is not installed. */
function binaries(): string | undefined {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS).sort((a, b) => Number(b) - Number(a)) : [];
  return versions.map((version) => join(VERSIONS, version, 'bin')).find((folder) => existsSync(join(folder, 'initdb')));
}

/** The account of the system that PostgreSQL runs under. */
function postgresUser(): { readonly uid?: number; readonly gid?: number } | undefined {
  const line = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'));
  return line ? { uid: Number(line[1]), gid: Number(line[2]) } : undefined;
}
