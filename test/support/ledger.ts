import { TypeOrmAttachmentBinder } from '../../src/attachment/adapters/typeorm-attachment-binder.js';
import { SystemClock } from '../../src/common/index.js';
import { Database, DatabaseSettings, openDatabase } from '../../src/database/index.js';
import { type Message, textMessage } from '../../src/events/index.js';
import { TypeOrmInterruptStore } from '../../src/interrupt/adapters/typeorm-interrupt-store.js';
import { TypeOrmRunLog } from '../../src/run/adapters/typeorm-run-log.js';
import { TypeOrmRunRemover } from '../../src/run/adapters/typeorm-run-remover.js';
import { TypeOrmRunStore } from '../../src/run/adapters/typeorm-run-store.js';
import type { LogWrite, RunEnd } from '../../src/run/ports/run-log.js';
import type { Pruning, RunRemover } from '../../src/run/ports/run-remover.js';
import type { AcceptOptions, Acceptance, Lease, RunRecord } from '../../src/run/ports/run-store.js';
import type { RunRequest } from '../../src/run/run.types.js';
import { SessionCleaners } from '../../src/session/index.js';
import { TypeOrmSessionStore } from '../../src/session/adapters/typeorm-session-store.js';
import { describeOnDatabases, type TestDatabase } from './databases.js';

const TABLES = ['interrupts', 'messages', 'run_event_chunks', 'run_steps', 'runs', 'sessions'];

export const ALICE = { tenantId: 'default', userId: 'alice' };
export const LEASE: Lease = { owner: 'node/1/a', until: 2_000_000_000_000 };
export const NOW = 1_800_000_000_000;

/** The stores of one process over one database. */
export class Ledger {
  readonly sessions: TypeOrmSessionStore;
  readonly runs: TypeOrmRunStore;
  readonly log: TypeOrmRunLog;
  readonly interrupts: TypeOrmInterruptStore;
  readonly remover: TypeOrmRunRemover;
  readonly cleaners = new SessionCleaners();

  private constructor(
    readonly test: TestDatabase,
    readonly database: Database,
  ) {
    this.sessions = new TypeOrmSessionStore(database);
    this.interrupts = new TypeOrmInterruptStore(database);
    this.runs = new TypeOrmRunStore(
      database,
      this.sessions,
      this.interrupts,
      new TypeOrmAttachmentBinder(new SystemClock()),
    );
    this.log = new TypeOrmRunLog(database, this.sessions, this.interrupts);
    this.remover = new TypeOrmRunRemover(database, this.sessions, this.interrupts, this.cleaners, new SystemClock());
  }

  static async open(test: TestDatabase): Promise<Ledger> {
    return new Ledger(test, await openDatabase(settingsOf(test)));
  }

  /** What another process on the same database would have. */
  another(): Promise<Ledger> {
    return Ledger.open(this.test);
  }

  accept(overrides: Partial<RunRequest> = {}, options: Partial<AcceptOptions> = {}): Promise<Acceptance> {
    return this.runs.accept(
      runRequest(overrides),
      acceptOptions({ runId: overrides.runId ?? nextId('run'), ...options }),
    );
  }

  /** A run that is being executed. */
  async running(overrides: Partial<RunRequest> = {}): Promise<RunRecord> {
    return (await this.accept({ sessionId: nextId('session'), ...overrides }, { lease: LEASE })).run;
  }

  async find(run: RunRecord): Promise<RunRecord> {
    const found = await this.runs.find(run.tenantId, run.id);
    if (!found) throw new Error(`run ${run.id} is gone`);
    return found;
  }

  async count(table: string): Promise<number> {
    const [row] = await this.database.read.all<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`);
    return row?.n ?? 0;
  }

  async clear(): Promise<void> {
    for (const table of TABLES) await this.database.write((tx) => tx.run(`DELETE FROM ${table}`));
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
  return DatabaseSettings.from({ ...test.env });
}

let ids = 0;

/** An id that no other test uses. */
export function nextId(prefix: string): string {
  return `${prefix}-${(ids += 1)}`;
}

export function runRequest(overrides: Partial<RunRequest> = {}): RunRequest {
  return {
    principal: ALICE,
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

export function acceptOptions(overrides: Partial<AcceptOptions> = {}): AcceptOptions {
  return { runId: nextId('run'), fingerprint: 'f'.repeat(64), now: NOW, queueLimit: 100, ...overrides };
}

export function userText(text: string, id = nextId('msg')): Message {
  return textMessage({ id, role: 'user', text });
}

export function logWrite(run: RunRecord, overrides: Partial<LogWrite> = {}): LogWrite {
  const { rowId: runRowId, sessionRowId, ordinal: runOrdinal, fence } = run;
  return {
    runRowId,
    sessionRowId,
    runOrdinal,
    fence,
    firstSeq: 0,
    lines: [],
    steps: [],
    end: undefined,
    at: NOW,
    ...overrides,
  };
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

/** Removes the events of up to `limit` runs that ended before a time; nothing else is kept of them. */
export async function pruneRuns(
  remover: RunRemover,
  finishedBefore: number,
  now: number,
  limit: number,
): Promise<Pruning> {
  const found = await remover.prunable(finishedBefore, limit);
  return remover.prune(
    found.map((run) => ({ run, summaries: null })),
    now,
  );
}

/** The error code of a promise that rejects. */
export async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'resolved',
    (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error),
  );
}
