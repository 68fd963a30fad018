import { Injectable } from '@nestjs/common';
import type { JsonObject } from '../../../common/index.js';
import {
  Database,
  prepared,
  queryable,
  RunEventChunkEntity,
  RunResultEntity,
  RunStepEntity,
  type SqlValue,
  type Transaction,
} from '../../../database/index.js';
import { LoggedEvent } from '../../../events/index.js';
import { type EventSelection, type JournalStep, type LogWrite, RunLog, type WrittenRun } from '../../ports/run-log.js';
import type { RunRecord, RunVisibility } from '../../run-record.js';
import { type ChunkRow, eventsOf } from './log-chunks.js';
import { jsonText } from './run.row.js';

/** Only the holder of the fence writes, and only at the end of the log. */
const ADVANCE = `
  UPDATE runs SET next_seq = next_seq + ? WHERE no = ? AND fence = ? AND next_seq = ? AND status = 'running'`;

const ADVANCE_AND_READ = `${ADVANCE} RETURNING keep, cancel_requested_at`;

const FINISH = `
  UPDATE runs SET next_seq = next_seq + ?, status = ?, error = ?, usage = ?, answered_by = ?, finished_at = ?,
    lease_owner = NULL, lease_until = 0
  WHERE no = ? AND fence = ? AND next_seq = ? AND status = 'running' RETURNING keep, cancel_requested_at`;

/** Lines of one commit as one row. */
export const INSERT_CHUNK = prepared(`
  INSERT INTO run_event_chunks (run_no, first_seq, event_count, body, created_at) VALUES (?, ?, ?, ?, ?)`);

/**
 * Many runs in one statement: on PostgreSQL every statement is a round trip. A run may occur twice, under
 * two fences, when this process lost its lease and claimed the run again.
 */
const APPEND_MANY = `
  WITH input AS (
    SELECT * FROM json_to_recordset(?::json) AS i(run_no int, fence int, first_seq int, event_count int, body text, at bigint)
  ), advanced AS (
    UPDATE runs r SET next_seq = r.next_seq + i.event_count FROM input i
    WHERE r.no = i.run_no AND r.fence = i.fence AND r.next_seq = i.first_seq AND r.status = 'running'
    RETURNING r.no, r.fence
  ), inserted AS (
    INSERT INTO run_event_chunks (run_no, first_seq, event_count, body, created_at)
    SELECT i.run_no, i.first_seq, i.event_count, i.body, i.at
    FROM input i JOIN advanced a ON a.no = i.run_no AND a.fence = i.fence
  )
  SELECT no, fence FROM advanced`;

const UPSERT_STEP = prepared(`
  INSERT INTO run_steps (run_no, step_key, status, input_hash, output, message_ids, started_at, updated_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (run_no, step_key) DO UPDATE SET status = excluded.status, input_hash = excluded.input_hash,
    output = excluded.output, message_ids = excluded.message_ids,
    started_at = COALESCE(run_steps.started_at, excluded.started_at), updated_at = excluded.updated_at`);

const COMMITTED = `SELECT 1 AS yes FROM runs r WHERE r.no = ? AND r.fence = ? AND r.next_seq = ?`;

const HELD = `SELECT next_seq FROM runs WHERE no = ? AND fence = ? AND status = 'running'`;

const FIRST_STATE = `
  SELECT first_seq, body, created_at, times FROM run_event_chunks
  WHERE run_no = ? AND body LIKE '%{"object":"state"%' ORDER BY first_seq LIMIT 1`;

const LENGTH = 'SELECT next_seq FROM runs WHERE no = ?';

const READ_FIRST = `
  SELECT first_seq, body, created_at, times FROM run_event_chunks WHERE run_no = ? AND first_seq <= ? ORDER BY first_seq DESC LIMIT 1`;

const READ_NEXT = `
  SELECT first_seq, body, created_at, times FROM run_event_chunks WHERE run_no = ? AND first_seq > ? ORDER BY first_seq LIMIT ?`;

const READ_LAST = `
  SELECT first_seq, event_count, body, created_at, times FROM run_event_chunks WHERE run_no = ?
  ORDER BY first_seq DESC LIMIT 1`;

/** What is left of a run whose partition was dropped. */
const READ_RESULT = `
  SELECT seq AS first_seq, body, created_at, NULL AS times FROM run_results WHERE run_no = ? AND seq >= ?`;

const REMOVE_BEFORE = 'DELETE FROM run_event_chunks WHERE run_no = ? AND first_seq < ?';
const REMOVE_STEPS = 'DELETE FROM run_steps WHERE run_no = ?';

interface WrittenRow {
  readonly keep: RunVisibility;
  readonly cancel_requested_at: number | string | null;
}

/** Logs as chunks: the lines of one commit of one run are one row. */
@Injectable()
export class SqlRunLog extends RunLog {
  constructor(private readonly database: Database) {
    super();
  }

  async append(tx: Transaction, write: LogWrite): Promise<WrittenRun | undefined> {
    const { run, firstSeq, lines, steps, end, at } = write;
    const sql = queryable(tx);
    const guard: SqlValue[] = [run.rowId, run.fence, firstSeq];
    const [row] = end
      ? await sql.all<WrittenRow>(FINISH, [
          lines.length,
          end.state,
          jsonText(end.error),
          jsonText(end.usage),
          end.answeredBy ?? null,
          at,
          ...guard,
        ])
      : await sql.all<WrittenRow>(ADVANCE_AND_READ, [lines.length, ...guard]);
    if (!row) return undefined;
    if (lines.length > 0) sql.send(INSERT_CHUNK, [run.rowId, firstSeq, lines.length, lines.join('\n'), at]);
    for (const { key, status, inputHash, output, messageIds, startedAt } of steps) {
      const ids = JSON.stringify(messageIds);
      sql.send(UPSERT_STEP, [run.rowId, key, status, inputHash, jsonText(output), ids, startedAt ?? null, at]);
    }
    return { visibility: row.keep, cancelRequested: row.cancel_requested_at !== null };
  }

  async appendEvents(tx: Transaction, writes: readonly LogWrite[]): Promise<readonly boolean[]> {
    if (queryable(tx).dialect === 'postgres' && writes.length > 1) return appendMany(tx, writes);
    const written: boolean[] = [];
    for (const write of writes) written.push(await appendOnly(tx, write));
    return written;
  }

  async committed({ run, firstSeq, lines }: LogWrite): Promise<boolean> {
    // Unknown without events, because the end of the log did not move; writing the steps again is harmless.
    if (lines.length === 0) return false;
    const values = [run.rowId, run.fence, firstSeq + lines.length];
    return (await this.database.forRuns.read.all(COMMITTED, values)).length > 0;
  }

  async held({ rowId, fence }: RunRecord): Promise<number | undefined> {
    const [row] = await this.database.forRuns.read.all<{ next_seq: number }>(HELD, [rowId, fence]);
    return row?.next_seq;
  }

  async read(runRowId: number, fromSeq: number, limit: number): Promise<readonly LoggedEvent[]> {
    const { read } = this.database;
    const events: LoggedEvent[] = [];
    let chunks = await read.all<ChunkRow>(READ_FIRST, [runRowId, fromSeq]);
    let last = -1;
    let chunkCount = 0;
    let lineCount = 0;
    for (;;) {
      for (const chunk of chunks) {
        const next = nextOf(events) ?? fromSeq;
        // Meanwhile the chunk that follows became part of one that begins before it.
        if (events.length > 0 && chunk.first_seq > next) break;
        events.push(...eventsOf(chunk, next));
        chunkCount += 1;
        lineCount += Math.max(1, (nextOf(events) ?? 0) - chunk.first_seq);
        last = chunk.first_seq;
      }
      if (events.length >= limit) return events;
      // A chunk holds one event or hundreds: reads about as many rows as the rest of the page needs.
      const wanted = Math.ceil(((limit - events.length) * chunkCount) / Math.max(1, lineCount)) + 1;
      chunks = await read.all<ChunkRow>(READ_NEXT, [runRowId, last, Math.min(wanted, 64)]);
      const [following] = chunks;
      if (!following) return last === -1 ? this.result(runRowId, fromSeq) : events;
      const next = nextOf(events);
      if (next !== undefined && following.first_seq > next) {
        chunks = await read.all<ChunkRow>(READ_FIRST, [runRowId, next]);
        // Removed meanwhile, all but the last.
        if (!chunks[0] || chunks[0].first_seq === last) return events;
      }
    }
  }

  async select(runRowId: number, query: EventSelection): Promise<readonly LoggedEvent[]> {
    const { kinds, after = -1, before = Number.MAX_SAFE_INTEGER, order, limit } = query;
    const matches = kinds.map(() => 'body LIKE ?').join(' OR ');
    const direction = order === 'desc' ? 'DESC' : 'ASC';
    // Numbers of events fit into the column's type.
    const bounds = [after, Math.min(before, 2_147_483_647)];
    const chunks = await this.database.forRuns.read.all<ChunkRow>(
      `SELECT first_seq, body, created_at, times FROM run_event_chunks
       WHERE run_no = ? AND first_seq + event_count > ? + 1 AND first_seq < ? AND (${matches})
       ORDER BY first_seq ${direction} LIMIT ?`,
      [runRowId, ...bounds, ...kinds.map((kind) => `%{"object":"${kind}"%`), limit],
    );
    const events: LoggedEvent[] = [];
    for (const chunk of chunks) {
      const ofChunk = eventsOf(chunk, 0);
      events.push(...(order === 'desc' ? ofChunk.reverse() : ofChunk));
    }
    const found = chunks.length > 0 ? events : await this.result(runRowId, 0);
    return found.filter(({ seq, kind }) => seq > after && seq < before && kinds.includes(kind));
  }

  async stateBefore(tx: Transaction, runRowId: number): Promise<JsonObject | undefined> {
    const [chunk] = await queryable(tx).all<ChunkRow>(FIRST_STATE, [runRowId]);
    const events = chunk ? eventsOf(chunk, 0).map(({ event }) => event) : [];
    const first = events.find((event) => event.object === 'state');
    if (first?.object !== 'state') return undefined;
    // What a run begins with is shown unless it is empty.
    return first.kind === 'snapshot' && first.initial === true ? (first.snapshot as JsonObject) : {};
  }

  async length(runRowId: number): Promise<number | undefined> {
    const [row] = await this.database.forRuns.read.all<{ next_seq: number }>(LENGTH, [runRowId]);
    return row?.next_seq;
  }

  async steps(runRowId: number): Promise<readonly JournalStep[]> {
    const rows = await this.database.forRuns.read.manager.findBy(RunStepEntity, { runRowId });
    return rows.map((row) => ({
      key: row.stepKey,
      status: row.status === 'finished' ? 'finished' : 'begun',
      inputHash: row.inputHash,
      output: row.output === null ? null : (JSON.parse(row.output) as JsonObject),
      messageIds: JSON.parse(row.messageIds) as string[],
      ...(row.startedAt !== null && { startedAt: Number(row.startedAt) }),
      updatedAt: Number(row.updatedAt),
    }));
  }

  async remove(tx: Transaction, runRowId: number): Promise<void> {
    await queryable(tx).manager.delete(RunEventChunkEntity, { runRowId });
    await queryable(tx).manager.delete(RunResultEntity, { runRowId });
    await queryable(tx).manager.delete(RunStepEntity, { runRowId });
  }

  async removeAllButLast(tx: Transaction, { rowId, isCompacted, nextSeq }: RunRecord): Promise<number> {
    const sql = queryable(tx);
    sql.send(REMOVE_STEPS, [rowId]);
    if (isCompacted) {
      sql.send(REMOVE_BEFORE, [rowId, nextSeq - 1]);
      return nextSeq - 1;
    }
    const [last] = await sql.all<ChunkRow & { event_count: number }>(READ_LAST, [rowId]);
    if (!last) return 0;
    const seq = last.first_seq + last.event_count - 1;
    const [event] = eventsOf(last, seq);
    sql.send(REMOVE_BEFORE, [rowId, seq + 1]);
    if (event) sql.send(INSERT_CHUNK, [rowId, seq, 1, event.json, event.at]);
    return seq;
  }

  /** The terminal event, if it is all that is left of the log. */
  private async result(runRowId: number, fromSeq: number): Promise<LoggedEvent[]> {
    const rows = await this.database.read.all<ChunkRow>(READ_RESULT, [runRowId, fromSeq]);
    return rows.flatMap((row) => eventsOf(row, fromSeq));
  }
}

/** The number after the last event; undefined without events. */
function nextOf(events: readonly LoggedEvent[]): number | undefined {
  const last = events.at(-1);
  return last && last.seq + 1;
}

/** Without RETURNING, which on SQLite is a fifth of what both statements cost. */
async function appendOnly(tx: Transaction, { run, firstSeq, lines, at }: LogWrite): Promise<boolean> {
  const sql = queryable(tx);
  const advanced = await sql.run(ADVANCE, [lines.length, run.rowId, run.fence, firstSeq]);
  if (advanced === 0) return false;
  sql.send(INSERT_CHUNK, [run.rowId, firstSeq, lines.length, lines.join('\n'), at]);
  return true;
}

async function appendMany(tx: Transaction, writes: readonly LogWrite[]): Promise<readonly boolean[]> {
  const input = writes.map(({ run, firstSeq, lines, at }) => ({
    run_no: run.rowId,
    fence: run.fence,
    first_seq: firstSeq,
    event_count: lines.length,
    body: lines.join('\n'),
    at,
  }));
  const rows = await queryable(tx).all<{ no: number; fence: number }>(APPEND_MANY, [JSON.stringify(input)]);
  const written = new Set(rows.map(({ no, fence }) => `${no}/${fence}`));
  return writes.map(({ run }) => written.has(`${run.rowId}/${run.fence}`));
}
