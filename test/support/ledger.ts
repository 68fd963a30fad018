import { AuditMetrics, AuditTrail } from '../../src/audit/index.js';
import { SqlAuditLog } from '../../src/audit/adapters/audit-log.sql.js';
import { RunCauses } from '../../src/run/ports/run-causes.js';
import { readSettings } from '../../src/config/index.js';
import { TypeOrmAttachmentStore } from '../../src/agent/attachment/adapters/typeorm-attachment-store.js';
import { TypeOrmUserSettings } from '../../src/user-settings/adapters/typeorm-user-settings.js';
import { AttachmentBinder } from '../../src/agent/attachment/index.js';
import { Metrics, type Principal, type Reach, SystemClock, userReach } from '../../src/common/index.js';
import { Database, DatabaseSettings, openDatabase } from '../../src/database/index.js';
import { type AgentEvent, type Message, textMessage } from '../../src/events/index.js';
import { InterruptCauses } from '../../src/agent/interrupt/ports/interrupt-causes.js';
import { SqlInterruptStore } from '../../src/agent/interrupt/adapters/interrupt-store.sql.js';
import { type Acceptance, AcceptTransaction } from '../../src/run/accept/accept-transaction.js';
import { EncoderRevisions } from '../../src/run/accept/encoder-revisions.js';
import type { PreparedRun } from '../../src/run/accept/run-preparation.js';
import { LocalRelay } from '../../src/run/adapters/local/local-relay.js';
import { SqlRunLeases } from '../../src/run/adapters/sql/run-leases.sql.js';
import { SqlRunListings } from '../../src/run/adapters/sql/run-listings.sql.js';
import { SqlRunLog } from '../../src/run/adapters/sql/run-log.sql.js';
import { SqlRunStore } from '../../src/run/adapters/sql/run-store.sql.js';
import { SqlWorkerRegistry } from '../../src/run/adapters/sql/worker-registry.sql.js';
import { cancelRun, type CancelRequest } from '../../src/run/end/cancel-runs.js';
import { OverdueRuns } from '../../src/run/end/overdue-runs.js';
import { type FirstEventsOf, firstEvents } from '../../src/run/accept/run-acceptance.js';
import type { RetainedSummaries } from '../../src/run/end/retained-summaries.js';
import { RemovalTransaction } from '../../src/run/end/remove-runs.js';
import { RunPruning } from '../../src/run/end/prune-runs.js';
import { RunSignals } from '../../src/run/end/run-signals.js';
import type { Dispatcher } from '../../src/run/ports/dispatcher.js';
import type { PrunedCounts } from '../../src/run/ports/log-pruning.js';
import { LogCommit } from '../../src/run/log/log-commit.js';
import type { Lease } from '../../src/run/ports/run-leases.js';
import type { LogWrite, RunEnd } from '../../src/run/ports/run-log.js';
import { RunLedger, RunStores } from '../../src/run/run-ledger.js';
import { RunMetrics } from '../../src/run/run.metrics.js';
import type { RunRecord } from '../../src/run/run-record.js';
import { type RunRequest, RunSettings } from '../../src/run/index.js';
import { type AfterRemoval, SessionCleaners } from '../../src/agent/session/index.js';
import { SqlSessionStore } from '../../src/agent/session/adapters/session-store.sql.js';
import { SqlUsageLedger } from '../../src/usage/adapters/usage-ledger.sql.js';
import { BudgetEvents } from '../../src/usage/index.js';
import { UsageMetrics } from '../../src/usage/usage.metrics.js';
import { describeOnDatabases, type TestDatabase } from './databases.js';

const TABLES = [
  'interrupts',
  'messages',
  'run_event_chunks',
  'run_results',
  'run_steps',
  'runs',
  'sessions',
  'workers',
  'chores',
  'usage_entries',
  'usage_days',
  'budget_counters',
  'budgets',
  'prices',
];

/** A user: as the owner of something, and as the reach of what that user owns. */
export interface Person extends Principal {
  readonly of: 'user';
}

export function person(userId: string, tenantId = 'default'): Person {
  return { tenantId, of: 'user', userId };
}

export const ALICE = person('alice');
export const LEASE: Lease = { owner: 'node/1/a', until: 2_000_000_000_000 };
export const NOW = 1_800_000_000_000;

/** How a test accepts a run. */
export interface AcceptOptions extends Pick<PreparedRun, 'answers' | 'authority' | 'fingerprint' | 'now' | 'runId'> {
  readonly queueLimit: number;
  readonly lease: Lease;
  /** Whether the log has its first events from the beginning. Default: it is empty, so that specs number from 0. */
  readonly begins: boolean;
}

/** The stores of one process over one database. */
export class Ledger {
  readonly sessions: SqlSessionStore;
  readonly runs: SqlRunStore;
  readonly leases: SqlRunLeases;
  readonly workers: SqlWorkerRegistry;
  readonly log: SqlRunLog;
  readonly interrupts: SqlInterruptStore;
  readonly usage: SqlUsageLedger;
  readonly commits: LogCommit;
  readonly metrics: RunMetrics;
  /** The sessions whose next run was to be started, by `endOverdue`. */
  readonly woken: number[] = [];
  readonly cleaners = new SessionCleaners();
  /** The servers that execute runs of this database, by what each is called among the workers now. */
  readonly servers = new Set<() => string | undefined>();
  private readonly stores: RunLedger;
  private readonly transaction: AcceptTransaction;
  private readonly removal: RemovalTransaction;

  private constructor(
    readonly test: TestDatabase,
    readonly database: Database,
  ) {
    const counted = new Metrics();
    this.metrics = new RunMetrics(counted);
    this.sessions = new SqlSessionStore(database);
    const trail = new AuditTrail(new SqlAuditLog(database), database, new AuditMetrics(counted), new SystemClock());
    this.interrupts = new SqlInterruptStore(database, new InterruptCauses(), trail, counted);
    this.runs = new SqlRunStore(database);
    this.leases = new SqlRunLeases(database.forRuns);
    this.workers = new SqlWorkerRegistry(database.forRuns);
    this.log = new SqlRunLog(database);
    this.stores = new RunLedger(
      database,
      new RunStores(this.runs, this.log, this.sessions, this.interrupts, new RunCauses()),
    );
    this.usage = new SqlUsageLedger(database, new BudgetEvents(new UsageMetrics(counted)));
    this.commits = new LogCommit(this.stores, this.metrics, this.usage);
    const attachments = new AttachmentBinder(new TypeOrmAttachmentStore(database), new SystemClock());
    const settings = new TypeOrmUserSettings(database, new SystemClock());
    this.transaction = new AcceptTransaction(
      this.stores,
      attachments,
      new EncoderRevisions(),
      settings,
      new SqlRunListings(database),
    );
    this.removal = new RemovalTransaction(this.stores, this.cleaners, new SystemClock());
  }

  static async open(test: TestDatabase): Promise<Ledger> {
    return Ledger.on(test, await openDatabase(settingsOf(test)));
  }

  /** The stores over a database that is open already. */
  static on(test: TestDatabase, database: Database): Ledger {
    return new Ledger(test, database);
  }

  /** What another process on the same database would have. */
  async another(): Promise<Ledger> {
    const other = await Ledger.open(this.test);
    // Two connections of one process would begin transactions between each other's promises, as two processes cannot.
    for (const { database } of [this, other]) {
      if (database.dialect === 'sqlite') database.forRuns.write = (work) => database.write(work);
    }
    return other;
  }

  accept(overrides: Partial<RunRequest> = {}, options: Partial<AcceptOptions> = {}): Promise<Acceptance> {
    const prepared = {
      request: runRequest(overrides),
      answers: [],
      authority: null,
      runId: overrides.runId ?? nextId('run'),
      fingerprint: 'f'.repeat(64),
      now: NOW,
      ...options,
    };
    const { queueLimit = 100, lease, begins = false } = options;
    const events = (run: FirstEventsOf): readonly AgentEvent[] => (begins ? firstEvents(run, prepared.now) : []);
    const start = lease && { lease, events };
    return this.transaction.commit(prepared, { queueLimit, ...(start && { start }) });
  }

  /** Cancels a run in a transaction of its own. */
  async cancel(runId: string, request: CancelRequest, reach: Reach = ALICE): Promise<RunRecord | undefined> {
    return this.stores.write(async (tx) => {
      const run = await this.runs.findForUpdate(tx, reach, runId);
      return run && cancelRun(tx, this.stores, run, request);
    });
  }

  /** Ends the runs that were queued before a time. Returns whether there may be more. */
  endOverdue(queuedBefore: number, now: number): Promise<boolean> {
    const settings = readSettings(RunSettings, { RUN_QUEUE_TIMEOUT_MS: String(now - queuedBefore) });
    const dispatcher = { wake: (sessionRowId) => this.woken.push(sessionRowId) } as Partial<Dispatcher> as Dispatcher;
    const signals = new RunSignals(dispatcher, new LocalRelay(), this.metrics);
    return new OverdueRuns(this.stores, settings, clockAt(now), signals, dispatcher).end();
  }

  /** Undefined when the run has not ended. */
  removeRun(run: RunRecord): Promise<readonly AfterRemoval[] | undefined> {
    return this.stores.write((tx) => this.removal.removeRun(tx, run));
  }

  /** Undefined when a run of the session has not ended. */
  removeSession(sessionRowId: number): Promise<readonly AfterRemoval[] | undefined> {
    return this.stores.write((tx) => this.removal.removeSession(tx, sessionRowId));
  }

  /** Removes the events of up to `limit` runs that ended before a time, without a summary of them. */
  prune(finishedBefore: number, now: number, limit: number): Promise<PrunedCounts> {
    return pruneRuns(this.stores, this.removal, { finishedBefore, now, limit });
  }

  /** A run that is being executed. */
  async running(overrides: Partial<RunRequest> = {}): Promise<RunRecord> {
    return (await this.accept({ sessionId: nextId('session'), ...overrides }, { lease: LEASE })).run;
  }

  /** Ends the lease of a run as if it was not renewed. */
  async endLease({ rowId }: Pick<RunRecord, 'rowId'>, until = 1): Promise<void> {
    await this.database.write((tx) => tx.run('UPDATE runs SET lease_until = ? WHERE no = ?', [until, rowId]));
  }

  async find(run: RunRecord): Promise<RunRecord> {
    const found = await this.runs.find(userReach(run), run.id);
    if (!found) throw new Error(`run ${run.id} is gone`);
    return found;
  }

  async count(table: string): Promise<number> {
    const [row] = await this.database.read.all<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`);
    return row?.n ?? 0;
  }

  /** Empties the tables. Servers on this database stay workers: without its row one would lose the runs that it executes. */
  async clear(): Promise<void> {
    const owners = [...this.servers].flatMap((ownerOf) => ownerOf() ?? []);
    const others = owners.length === 0 ? '' : ` WHERE id NOT IN (${owners.map(() => '?').join(', ')})`;
    for (const table of TABLES) {
      const [where, values] = table === 'workers' ? [others, owners] : ['', []];
      await this.database.write((tx) => tx.run(`DELETE FROM ${table}${where}`, values));
    }
  }
}

/** Runs a spec on a fresh ledger of each database; its tables are empty before each test. */
export function describeOnLedgers(title: string, tests: (ledger: () => Ledger) => void): void {
  describeOnDatabases(title, (open) => {
    let ledger: Ledger;
    beforeAll(async () => (ledger = await Ledger.open(await open())));
    beforeEach(() => ledger.clear());
    afterAll(async () => {
      await ledger.database.close();
      await ledger.test.drop();
    });
    tests(() => ledger);
  });
}

export function settingsOf(test: TestDatabase): DatabaseSettings {
  return readSettings(DatabaseSettings, { ...test.env });
}

let ids = 0;

/** An id that no other test uses. */
export function nextId(prefix: string): string {
  return `${prefix}-${(ids += 1)}`;
}

export function runRequest(overrides: Partial<RunRequest> = {}): RunRequest {
  return {
    principal: ALICE,
    reach: userReach(overrides.principal ?? ALICE),
    requester: null,
    sessionId: 'session',
    agentType: 'worker',
    input: [userText('Hello')],
    clientTools: [],
    modelOptions: {},
    forwardedProps: {},
    onBusy: 'enqueue',
    ...overrides,
  };
}

export function userText(text: string, id = nextId('msg')): Message {
  return textMessage({ id, role: 'user', text });
}

export function logWrite(run: RunRecord, overrides: Partial<LogWrite> = {}): LogWrite {
  return { run, firstSeq: 0, lines: [], steps: [], end: undefined, at: NOW, ...overrides };
}

export function runEnd(overrides: Partial<RunEnd> = {}): RunEnd {
  return { state: 'completed', error: null, usage: null, output: [], sessionState: undefined, ...overrides };
}

/** Lines that hold their own numbers. */
export function lines(from: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    JSON.stringify({ object: 'custom', name: 'n', value: from + index }),
  );
}

/** Prunes the runs that ended before a time, as the retention does, but without summaries of the events. */
export function pruneRuns(
  ledger: RunLedger,
  removal: RemovalTransaction,
  { finishedBefore = Date.now() + 1, now = Date.now(), limit = 100 } = {},
): Promise<PrunedCounts> {
  const summaries = { of: () => Promise.resolve(null) } as unknown as RetainedSummaries;
  return new RunPruning(ledger, removal, summaries, clockAt(now)).prune(finishedBefore, limit);
}

function clockAt(now: number): SystemClock {
  return Object.assign(new SystemClock(), { now: () => now });
}

/** The error code of a promise that rejects. */
export async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'resolved',
    (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error),
  );
}
