import { readFileSync } from 'node:fs';
import pg from 'pg';

/** Microseconds of one tick of the process times in /proc. */
const TICK_US = 10_000;
const TRANSACTIONS = `
  SELECT xact_commit + xact_rollback AS count, EXTRACT(EPOCH FROM clock_timestamp()) AS seconds
  FROM pg_stat_database WHERE datname = $1`;
let made = 0;

/** An empty PostgreSQL database for one server, on the server of a given URL. */
export class ScratchDatabase {
  private constructor(
    private readonly client: pg.Client,
    private readonly name: string,
    readonly url: string,
  ) {}

  /** @param adminUrl a database whose user may create others */
  static async create(adminUrl: string): Promise<ScratchDatabase> {
    const client = new pg.Client({ connectionString: adminUrl });
    await client.connect();
    const name = `parley_bench_${process.pid}_${(made += 1)}`;
    await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)} ENCODING 'UTF8' TEMPLATE template0`);
    const url = new URL(adminUrl);
    url.pathname = `/${name}`;
    return new ScratchDatabase(client, name, url.href);
  }

  /**
   * User and system time so far of the processes that serve this database's connections, in microseconds;
   * undefined if PostgreSQL is on another machine.
   */
  async cpu(): Promise<number | undefined> {
    const { rows } = await this.client.query<{ pid: number }>('SELECT pid FROM pg_stat_activity WHERE datname = $1', [
      this.name,
    ]);
    try {
      return rows.reduce((sum, { pid }) => sum + processTicks(pid) * TICK_US, 0);
    } catch {
      return undefined;
    }
  }

  /**
   * Transactions so far, and when that was, in seconds. A connection that is idle reports its own up to ten seconds late.
   */
  async transactions(): Promise<{ readonly count: number; readonly seconds: number }> {
    const { rows } = await this.client.query<{ count: string; seconds: string }>(TRANSACTIONS, [this.name]);
    return { count: Number(rows[0]?.count), seconds: Number(rows[0]?.seconds) };
  }

  async drop(): Promise<void> {
    await this.client.query(`DROP DATABASE IF EXISTS ${this.client.escapeIdentifier(this.name)} WITH (FORCE)`);
    await this.client.end();
  }
}

/** @throws Error if there is no such process of PostgreSQL here */
function processTicks(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  if (!stat.includes('(postgres)')) throw new Error(`process ${pid} is another program`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}
