import { type Transaction, UnitOfWork } from '../../database/index.js';
import { LoggedEvent } from '../../events/index.js';
import type { InterruptStore } from '../../agent/interrupt/index.js';
import type { SessionStore } from '../../agent/session/index.js';
import type { UsageLedger } from '../../usage/index.js';
import { RunCauses } from '../ports/run-causes.js';
import { type JournalStep, type LogWrite, RunLog, type WrittenRun } from '../ports/run-log.js';
import type { RunStore, WatchFindings } from '../ports/run-store.js';
import { RunLedger, RunStores } from '../run-ledger.js';
import type { RunRecord } from '../run-record.js';

/** How a commit fails: before anything is written, or when only the acknowledgement is lost. */
export type CommitFailure = 'before' | 'after';

/** A log in memory that keeps the promises of the port, and whose commits fail on demand. */
export class MemoryRunLog extends RunLog {
  /** The failures of the next commits, in order. */
  readonly failures: CommitFailure[] = [];
  /** How many writes each commit had. */
  readonly batches: number[] = [];
  readonly written: JournalStep[] = [];
  /** The runs whose rows another transaction holds: commits that write to one fail. */
  readonly locked = new Set<number>();
  /** The runs that were removed. */
  readonly removed = new Set<number>();
  reads = 0;
  /** How often runs were watched. */
  looks = 0;
  fence = 1;
  private readonly lines = new Map<number, string[]>();
  private batch = 0;

  /** A ledger of this log whose runs add nothing to a session. */
  ledger(): RunLedger {
    const sessions = { append: () => Promise.resolve() } as unknown as SessionStore;
    return new RunLedger(
      new MemoryUnitOfWork(this),
      new RunStores({} as RunStore, this, sessions, {} as InterruptStore, new RunCauses()),
    );
  }

  /** Commits what `work` appends, or fails. */
  async commit<T>(work: () => Promise<T>): Promise<T> {
    await turn();
    this.batch = 0;
    const failure = this.failures.shift();
    if (failure === 'before') throw new Error('the database is unavailable');
    const result = await work();
    this.batches.push(this.batch);
    if (failure === 'after') throw new Error('the connection was lost');
    return result;
  }

  append(_: Transaction, write: LogWrite): Promise<WrittenRun | undefined> {
    this.assertUnlocked([write]);
    const isWritten = this.write(write);
    return Promise.resolve(isWritten ? { visibility: 'kept', cancelRequested: false } : undefined);
  }

  appendEvents(_: Transaction, writes: readonly LogWrite[]): Promise<readonly boolean[]> {
    this.assertUnlocked(writes);
    return Promise.resolve(writes.map((write) => this.write(write)));
  }

  committed({ run, firstSeq, lines }: LogWrite): Promise<boolean> {
    const isAtEnd = this.of(run.rowId).length === firstSeq + lines.length;
    return Promise.resolve(lines.length > 0 && this.fence === run.fence && isAtEnd);
  }

  held({ rowId, fence }: RunRecord): Promise<number | undefined> {
    return Promise.resolve(this.fence === fence ? this.of(rowId).length : undefined);
  }

  async read(runRowId: number, fromSeq: number, limit: number): Promise<readonly LoggedEvent[]> {
    this.reads += 1;
    const found = this.of(runRowId).slice(fromSeq, fromSeq + limit);
    await turn();
    return found.map((line, index) => new LoggedEvent(fromSeq + index, line));
  }

  readChunk(): Promise<undefined> {
    return Promise.reject(new Error('not supported'));
  }

  select(): Promise<readonly LoggedEvent[]> {
    return Promise.reject(new Error('not supported'));
  }

  stateBefore(): Promise<undefined> {
    return Promise.reject(new Error('not supported'));
  }

  length(runRowId: number): Promise<number | undefined> {
    return Promise.resolve(this.removed.has(runRowId) ? undefined : this.of(runRowId).length);
  }

  /** A store that watches these logs; runs whose log was never written are as long as their log. */
  store(): RunStore {
    const watch = (rowIds: readonly number[]): Promise<WatchFindings> => {
      this.looks += 1;
      const runs = new Map(rowIds.map((id) => [id, { nextSeq: this.of(id).length, fence: this.fence }]));
      for (const id of this.removed) runs.delete(id);
      return turn().then(() => ({ runs, arrived: [] }));
    };
    return { watch } as unknown as RunStore;
  }

  steps(): Promise<readonly JournalStep[]> {
    return Promise.resolve(this.written);
  }

  remove(): Promise<void> {
    return Promise.reject(new Error('not supported'));
  }

  removeAllButLast(): Promise<number> {
    return Promise.reject(new Error('not supported'));
  }

  /** The committed lines of a run. */
  of(runRowId: number): string[] {
    const lines = this.lines.get(runRowId) ?? [];
    this.lines.set(runRowId, lines);
    return lines;
  }

  private assertUnlocked(writes: readonly LogWrite[]): void {
    if (writes.some(({ run }) => this.locked.has(run.rowId)))
      throw Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });
  }

  private write({ run, firstSeq, lines, steps }: LogWrite): boolean {
    this.batch += 1;
    const log = this.of(run.rowId);
    if (run.fence !== this.fence || firstSeq !== log.length) return false;
    log.push(...lines);
    this.written.push(...steps);
    return true;
  }
}

class MemoryUnitOfWork extends UnitOfWork {
  constructor(private readonly log: MemoryRunLog) {
    super();
  }

  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.log.commit(() => work({} as Transaction));
  }

  writePatiently<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.write(work);
  }
}

/** A run that is being executed. */
export function runningRun(overrides: Partial<RunRecord> = {}): RunRecord {
  return {
    rowId: 1,
    id: 'run',
    tenantId: 'default',
    userId: 'user',
    sessionId: 'session',
    sessionRowId: 1,
    ordinal: 1,
    agentType: 'test',
    state: 'running',
    request: { clientTools: [], modelOptions: {}, clientTime: null, forwardedProps: {} },
    authority: null,
    fingerprint: '',
    attempt: 1,
    fence: 1,
    leaseOwner: 'node/1/a',
    leaseUntil: 2_000_000_000_000,
    cancelRequestedAt: null,
    nextSeq: 0,
    error: null,
    usage: null,
    createdAt: 0,
    startedAt: 0,
    finishedAt: null,
    wire: 'agent-api',
    runKey: null,
    parentRunId: null,
    wireData: {},
    visibility: 'kept',
    createdSession: false,
    usedMs: 0,
    eventsPrunedAt: null,
    isCompacted: false,
    retainedSummaries: null,
    place: 0,
    rootRunId: overrides.id ?? 'run',
    closedAt: null,
    ...overrides,
  };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** For runs without budgets. */
export const NO_USAGE = {} as UsageLedger;
