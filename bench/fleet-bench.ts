import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AnswerLoadProcess, ServerProcess } from './process.js';
import type { AnswerLoad, AnswerResult } from './protocol.js';
import { ScratchRedis } from './redis.js';
import type { Bench, Report } from './report.js';
import { ScratchDatabase } from './scratch-database.js';

/** Longer than a row takes, in milliseconds: the model is silent and that is no failure here. */
const PATIENT = { LLM_IDLE_TIMEOUT_MS: '3600000', RUN_IDLE_TIMEOUT_MS: '3600000', KEEP_ALIVE_MS: '600000' };
/** After this time the instances of a new fleet know each other, and their relay is live, in milliseconds. */
const SETTLE_MS = 3000;

/** Whether instances share a Redis. */
export type Hints = 'with Redis' | 'without Redis';

/** Instances on one database. */
export interface Fleet {
  readonly servers: readonly ServerProcess[];
  readonly database: ScratchDatabase;
  stop(): Promise<void>;
}

/** A fleet of two instances, its first one and its second one. */
export interface Pair extends Fleet {
  readonly first: ServerProcess;
  readonly second: ServerProcess;
}

/** What the rows of a fleet are measured on: a model, a load, and fleets with a database of their own. */
export class FleetBench implements Bench {
  private constructor(
    readonly report: Report,
    private readonly postgresUrl: string,
    private readonly model: ServerProcess,
    private readonly load: AnswerLoadProcess,
    private readonly redis: ScratchRedis | undefined,
  ) {}

  /** @param postgresUrl a PostgreSQL database whose user may create others */
  static async start(report: Report, postgresUrl: string): Promise<FleetBench> {
    const [model, load, redis] = await Promise.all([
      ServerProcess.start('model'),
      AnswerLoadProcess.start(),
      ScratchRedis.start(),
    ]);
    return new FleetBench(report, postgresUrl, model, load, redis);
  }

  /** Every row is measured with and without a Redis; with one only where there is one. */
  get hints(): readonly Hints[] {
    return this.redis ? ['with Redis', 'without Redis'] : ['without Redis'];
  }

  run(load: AnswerLoad): Promise<AnswerResult> {
    return this.load.run(load);
  }

  /** Two instances; whoever asks for them stops them. @param env further settings of each of the two */
  async pair(hints: Hints, ...env: readonly Readonly<Record<string, string>>[]): Promise<Pair> {
    const fleet = await this.fleet(hints, [env[0] ?? {}, env[1] ?? {}]);
    const [first, second] = fleet.servers;
    if (!first || !second) throw new Error('a fleet of two has two instances');
    return { ...fleet, first, second };
  }

  /** One instance for each of the settings. */
  async fleet(hints: Hints, settings: readonly Readonly<Record<string, string>>[]): Promise<Fleet> {
    const database = await ScratchDatabase.create(this.postgresUrl);
    const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'));
    const servers: ServerProcess[] = [];
    for (const env of settings) {
      const shared = {
        BENCH_MODEL_URL: `${this.model.url}/v1`,
        BENCH_SERVER_DATABASE_URL: database.url,
        BENCH_DATA_DIR: folder,
        ...(hints === 'with Redis' && this.redis ? { REDIS_URL: this.redis.url } : {}),
      };
      servers.push(await ServerProcess.start('parley', { ...PATIENT, ...shared, ...env }));
    }
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const stop = async (): Promise<void> => {
      await this.run({ do: 'drop' });
      for (const server of servers) server.signal('SIGKILL');
      await Promise.all(servers.map((server) => server.stop()));
      await database.drop();
      rmSync(folder, { recursive: true, force: true });
    };
    return { servers, database, stop };
  }

  async stop(): Promise<void> {
    await this.load.stop();
    await this.model.stop();
    await this.redis?.stop();
  }
}
