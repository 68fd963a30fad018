import pg from 'pg';
import { Metrics, SystemClock } from '../../src/common/index.js';
import { readSettings } from '../../src/config/index.js';
import { type Database, DatabaseSettings, openDatabase } from '../../src/database/index.js';
import { TypeOrmInterruptStore } from '../../src/interrupt/adapters/typeorm-interrupt-store.js';
import { TypeOrmLogPruning } from '../../src/run/adapters/typeorm-log-pruning.js';
import { TypeOrmLogPartitions } from '../../src/run/adapters/typeorm-log-partitions.js';
import { TypeOrmRunLog } from '../../src/run/adapters/typeorm-run-log.js';
import { TypeOrmRunSearch } from '../../src/run/adapters/typeorm-run-search.js';
import { TypeOrmRunStore } from '../../src/run/adapters/typeorm-run-store.js';
import { RetainedSummaries } from '../../src/run/end/retained-summaries.js';
import { RemovalTransaction } from '../../src/run/end/removal-transaction.js';
import { RunPruning } from '../../src/run/end/run-pruning.js';
import { RunRetention } from '../../src/run/end/run-retention.js';
import { LogCommit } from '../../src/run/log/log-commit.js';
import { RunLedger } from '../../src/run/run-ledger.js';
import { RunMetrics } from '../../src/run/run.metrics.js';
import { RunSettings } from '../../src/run/index.js';
import { TypeOrmSessionSearch } from '../../src/session/adapters/typeorm-session-search.js';
import { TypeOrmSessionStore } from '../../src/session/adapters/typeorm-session-store.js';
import { SessionCleaners } from '../../src/session/index.js';
import { ScratchDatabase } from '../scratch-database.js';

/** The stores of one process over a PostgreSQL database of its own. */
export class LedgerProcess {
  readonly runs: TypeOrmRunStore;
  readonly log: TypeOrmRunLog;
  readonly search: TypeOrmRunSearch;
  readonly sessionSearch: TypeOrmSessionSearch;
  readonly commits: LogCommit;
  readonly partitions: TypeOrmLogPartitions;
  private readonly ledger: RunLedger;

  private constructor(
    private readonly scratch: ScratchDatabase,
    readonly database: Database,
    /** For statements that the server does not make. */
    readonly client: pg.Client,
  ) {
    const metrics = new Metrics();
    const runMetrics = new RunMetrics(metrics);
    this.runs = new TypeOrmRunStore(database);
    this.log = new TypeOrmRunLog(database);
    this.search = new TypeOrmRunSearch(database, new SystemClock());
    this.sessionSearch = new TypeOrmSessionSearch(database);
    const sessions = new TypeOrmSessionStore(database);
    this.ledger = new RunLedger(database, this.runs, this.log, sessions, new TypeOrmInterruptStore(database, metrics));
    this.commits = new LogCommit(this.ledger, runMetrics);
    this.partitions = new TypeOrmLogPartitions(database, metrics);
  }

  /** Commits do not wait for the disk: it would hide what the size of a table costs. */
  static async start(adminUrl: string): Promise<LedgerProcess> {
    const scratch = await ScratchDatabase.create(adminUrl);
    const settings = readSettings(DatabaseSettings, { DATABASE_URL: scratch.url, DURABILITY: 'relaxed' });
    const database = await openDatabase(settings);
    const client = new pg.Client({ connectionString: scratch.url });
    await client.connect();
    return new LedgerProcess(scratch, database, client);
  }

  /** The retention of this process, with RUN_EVENTS_RETENTION at an hour. */
  get retention(): RunRetention {
    const clock = new SystemClock();
    const removal = new RemovalTransaction(this.ledger, new SessionCleaners(), clock);
    const pruning = new RunPruning(this.ledger, removal, new RetainedSummaries(this.log), clock);
    const settings = readSettings(RunSettings, { RUN_EVENTS_RETENTION: '1h' });
    return new RunRetention(pruning, new TypeOrmLogPruning(this.database), this.partitions, settings, clock);
  }

  /** Processor time of PostgreSQL for this database so far, in seconds; undefined if it is on another machine. */
  async cpuSeconds(): Promise<number | undefined> {
    const microseconds = await this.scratch.cpu();
    return microseconds === undefined ? undefined : microseconds / 1_000_000;
  }

  async stop(): Promise<void> {
    await this.client.end();
    await this.database.close();
    await this.scratch.drop();
  }
}
