import pg from 'pg';
import { RunCauses } from '../../src/run/ports/run-causes.js';
import { InterruptCauses } from '../../src/agent/interrupt/index.js';
import { Metrics, SystemClock } from '../../src/common/index.js';
import { readSettings } from '../../src/config/index.js';
import { type Database, DatabaseSettings, openDatabase } from '../../src/database/index.js';
import { SqlInterruptStore } from '../../src/agent/interrupt/adapters/interrupt-store.sql.js';
import { SqlLogPruning } from '../../src/run/adapters/sql/log-pruning.sql.js';
import { SqlLogPartitions } from '../../src/run/adapters/sql/log-partitions.sql.js';
import { SqlRunLog } from '../../src/run/adapters/sql/run-log.sql.js';
import { SqlRunSearch } from '../../src/run/adapters/sql/run-search.sql.js';
import { SqlRunStore } from '../../src/run/adapters/sql/run-store.sql.js';
import { RetainedSummaries } from '../../src/run/end/retained-summaries.js';
import { RemovalTransaction } from '../../src/run/end/remove-runs.js';
import { RunPruning, RunRetention } from '../../src/run/end/prune-runs.js';
import { LogCommit } from '../../src/run/log/log-commit.js';
import { RunLedger, RunStores } from '../../src/run/run-ledger.js';
import { RunMetrics } from '../../src/run/run.metrics.js';
import { Retention, RetentionSettings } from '../../src/retention/index.js';
import { TypeOrmTenantStore } from '../../src/access/adapters/typeorm-tenant-store.js';
import { StoredRetention } from '../../src/access/tenants/tenant-retentions.js';
import { SqlSessionSearch } from '../../src/agent/session/adapters/session-search.sql.js';
import { SqlSessionStore } from '../../src/agent/session/adapters/session-store.sql.js';
import { SessionCleaners } from '../../src/agent/session/index.js';
import { SqlUsageLedger } from '../../src/usage/adapters/usage-ledger.sql.js';
import { BudgetEvents } from '../../src/usage/index.js';
import { UsageMetrics } from '../../src/usage/usage.metrics.js';
import { SqlAuditLog } from '../../src/audit/adapters/audit-log.sql.js';
import { AuditMetrics, AuditTrail } from '../../src/audit/index.js';
import { ScratchDatabase } from '../scratch-database.js';

/** The stores of one process over a PostgreSQL database of its own. */
export class LedgerProcess {
  readonly runs: SqlRunStore;
  readonly log: SqlRunLog;
  readonly search: SqlRunSearch;
  readonly sessionSearch: SqlSessionSearch;
  readonly commits: LogCommit;
  readonly partitions: SqlLogPartitions;
  private readonly ledger: RunLedger;

  private constructor(
    private readonly scratch: ScratchDatabase,
    readonly database: Database,
    /** For statements that the server does not make. */
    readonly client: pg.Client,
  ) {
    const metrics = new Metrics();
    const runMetrics = new RunMetrics(metrics);
    this.runs = new SqlRunStore(database);
    this.log = new SqlRunLog(database);
    this.search = new SqlRunSearch(database, new SystemClock());
    this.sessionSearch = new SqlSessionSearch(database);
    const sessions = new SqlSessionStore(database);
    const trail = new AuditTrail(new SqlAuditLog(database), database, new AuditMetrics(metrics), new SystemClock());
    this.ledger = new RunLedger(
      database,
      new RunStores(
        this.runs,
        this.log,
        sessions,
        new SqlInterruptStore(database, new InterruptCauses(), trail, metrics),
        new RunCauses(),
      ),
    );
    const events = new BudgetEvents(new UsageMetrics(metrics));
    this.commits = new LogCommit(this.ledger, runMetrics, new SqlUsageLedger(database, events));
    this.partitions = new SqlLogPartitions(database, metrics);
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
    const settings = readSettings(RetentionSettings, { RUN_EVENTS_RETENTION: '1h' });
    const stored = new StoredRetention(new TypeOrmTenantStore(this.database));
    const retention = new Retention(settings, stored, clock);
    return new RunRetention(pruning, new SqlLogPruning(this.database), this.partitions, retention, clock);
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
