import { Injectable } from '@nestjs/common';
import { Clock, type JsonObject } from '../../common/index.js';
import { Database, type Queryable, RunEntity, RunEventChunkEntity, RunStepEntity } from '../../database/index.js';
import { InterruptStore } from '../../interrupt/index.js';
import { type AfterRemoval, SessionCleaners, SessionStore } from '../../session/index.js';
import { type PrunedRun, type Pruning, RunRemover } from '../ports/run-remover.js';
import type { RunRecord } from '../ports/run-store.js';
import { forUpdate } from './cancel-run.js';
import { RUN_COLUMNS, type RunRow, runRecord } from './run-row.js';

const FIND = `SELECT ${RUN_COLUMNS} FROM runs WHERE no = ?`;
const OF_SESSION = `SELECT ${RUN_COLUMNS} FROM runs WHERE session_no = ?`;

const FINISHED = `
  SELECT ${RUN_COLUMNS} FROM runs WHERE events_pruned_at IS NULL AND finished_at < ? ORDER BY finished_at LIMIT ?`;

const UNPRUNED = `${FIND} AND events_pruned_at IS NULL`;

const READ_LAST = `
  SELECT first_seq, event_count, body, created_at FROM run_event_chunks WHERE run_no = ?
  ORDER BY first_seq DESC LIMIT 1`;

const INSERT_CHUNK = `
  INSERT INTO run_event_chunks (run_no, first_seq, event_count, body, created_at) VALUES (?, ?, 1, ?, ?)`;

interface LastChunk {
  readonly first_seq: number;
  readonly event_count: number;
  readonly body: string;
  readonly created_at: number;
}

/** Removals in the ledger, each in one transaction with what other features keep. */
@Injectable()
export class TypeOrmRunRemover extends RunRemover {
  constructor(
    private readonly database: Database,
    private readonly sessions: SessionStore,
    private readonly interrupts: InterruptStore,
    private readonly cleaners: SessionCleaners,
    private readonly clock: Clock,
  ) {
    super();
  }

  removeRun({ rowId }: RunRecord): Promise<readonly AfterRemoval[] | undefined> {
    return this.database.write(async (tx) => {
      const [row] = await tx.all<RunRow>(FIND + forUpdate(tx), [rowId]);
      if (!row) return [];
      return row.finished_at === null ? undefined : this.deleteRun(tx, row);
    });
  }

  removeSession(sessionRowId: number): Promise<readonly AfterRemoval[] | undefined> {
    return this.database.write(async (tx) => {
      // Runs before their session, as the end of a run does; then those that came in between.
      await tx.all(OF_SESSION + forUpdate(tx), [sessionRowId]);
      await this.sessions.lock(tx, sessionRowId);
      const rows = await tx.all<RunRow>(OF_SESSION + forUpdate(tx), [sessionRowId]);
      if (rows.some((row) => row.finished_at === null)) return undefined;
      for (const row of rows) await deleteLog(tx, row.no);
      const owner = await this.sessions.owner(tx, sessionRowId);
      const after = owner ? await this.cleaners.cleanSession(tx, owner) : [];
      await this.interrupts.remove(tx, { sessionRowId }, this.clock.now());
      await tx.manager.delete(RunEntity, { sessionRowId });
      await this.sessions.remove(tx, sessionRowId);
      return after;
    });
  }

  async prunable(finishedBefore: number, limit: number): Promise<readonly RunRecord[]> {
    return (await this.database.read.all<RunRow>(FINISHED, [finishedBefore, limit])).map(runRecord);
  }

  async prune(runs: readonly PrunedRun[], now: number): Promise<Pruning> {
    if (runs.length === 0) return { runs: 0, events: 0 };
    return this.database.write(async (tx) => {
      const lock = tx.dialect === 'postgres' ? ' FOR UPDATE SKIP LOCKED' : '';
      const pruned = { runs: 0, events: 0 };
      for (const { run, summaries } of runs) {
        const [row] = await tx.all<RunRow>(UNPRUNED + lock, [run.rowId]);
        if (!row) continue;
        const isTransient = row.keep === 'transient';
        pruned.events += isTransient ? await this.forget(tx, row) : await compact(tx, row, summaries, now);
        pruned.runs += 1;
      }
      return pruned;
    });
  }

  private async forget(tx: Queryable, row: RunRow): Promise<number> {
    await this.deleteRun(tx, row);
    return row.next_seq;
  }

  private async deleteRun(tx: Queryable, row: RunRow): Promise<readonly AfterRemoval[]> {
    const run = runRecord(row);
    const after = await this.cleaners.cleanRun(tx, { ...run, runId: run.id });
    await deleteLog(tx, row.no);
    await this.interrupts.remove(tx, { runRowId: row.no }, this.clock.now());
    await this.sessions.removeRun(tx, row.session_no, row.no);
    await tx.manager.delete(RunEntity, { rowId: row.no });
    return after;
  }
}

async function deleteLog(tx: Queryable, runRowId: number): Promise<void> {
  await tx.manager.delete(RunEventChunkEntity, { runRowId });
  await tx.manager.delete(RunStepEntity, { runRowId });
}

/** Keeps the last event only, which is the whole response, and returns how many were removed. */
async function compact(tx: Queryable, row: RunRow, digests: JsonObject | null, now: number): Promise<number> {
  const [last] = await tx.all<LastChunk>(READ_LAST, [row.no]);
  await deleteLog(tx, row.no);
  const kept = digests && JSON.stringify(digests);
  await tx.run('UPDATE runs SET events_pruned_at = ?, digests = ? WHERE no = ?', [now, kept, row.no]);
  if (!last) return 0;
  const line = last.body.slice(last.body.lastIndexOf('\n') + 1);
  const seq = last.first_seq + last.event_count - 1;
  await tx.run(INSERT_CHUNK, [row.no, seq, line, last.created_at]);
  return seq;
}
