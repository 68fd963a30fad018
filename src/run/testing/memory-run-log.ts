import { LoggedEvent } from '../../events/index.js';
import { type LogWrite, RunLog, type StepWrite } from '../ports/run-log.js';
import type { RunRecord } from '../ports/run-store.js';

/** How an `append` goes wrong: before anything is written, or when only the acknowledgement is lost. */
export type LogFailure = 'before' | 'after';

/** A log in memory that keeps the promises of the port and fails as it is told. */
export class MemoryRunLog extends RunLog {
  /** The failures of the next appends, in order. */
  readonly failures: LogFailure[] = [];
  /** How many writes each append had. */
  readonly batches: number[] = [];
  readonly steps: StepWrite[] = [];
  reads = 0;
  fence = 1;
  private readonly lines = new Map<number, string[]>();

  async append(writes: readonly LogWrite[]): Promise<readonly boolean[]> {
    await turn();
    this.batches.push(writes.length);
    const failure = this.failures.shift();
    if (failure === 'before') throw new Error('the database is away');
    const results = writes.map((write) => this.write(write));
    if (failure === 'after') throw new Error('the connection was lost');
    return results;
  }

  committed(write: LogWrite): Promise<boolean> {
    const at = write.firstSeq + write.lines.length;
    return Promise.resolve(
      write.lines.length > 0 && this.fence === write.fence && this.of(write.runRowId).length === at,
    );
  }

  async read(runRowId: number, fromSeq: number, limit: number): Promise<readonly LoggedEvent[]> {
    this.reads += 1;
    const found = this.of(runRowId).slice(fromSeq, fromSeq + limit);
    await turn();
    return found.map((line, index) => new LoggedEvent(fromSeq + index, line));
  }

  /** The committed lines of a run. */
  of(runRowId: number): string[] {
    const lines = this.lines.get(runRowId) ?? [];
    this.lines.set(runRowId, lines);
    return lines;
  }

  private write(write: LogWrite): boolean {
    const lines = this.of(write.runRowId);
    if (write.fence !== this.fence || write.firstSeq !== lines.length) return false;
    lines.push(...write.lines);
    this.steps.push(...write.steps);
    return true;
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
    claimedAt: 0,
    usedMs: 0,
    eventsPrunedAt: null,
    retainedSummaries: null,
    ...overrides,
  };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
