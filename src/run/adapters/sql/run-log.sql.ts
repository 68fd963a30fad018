import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import type { JsonObject } from '../../../common/index.js';
import {
  chunkPlace,
  Database,
  prepared,
  queryable,
  RunEventChunkEntity,
  RunResultEntity,
  RunStepEntity,
  type SqlValue,
  stepPlace,
  type TenantSeal,
  type Transaction,
} from '../../../database/index.js';
import { LoggedEvent } from '../../../events/index.js';
import {
  type EventSelection,
  type JournalStep,
  type LogChunk,
  type LogWrite,
  RunLog,
  type WrittenRun,
} from '../../ports/run-log.js';
import type { RunRecord, RunVisibility } from '../../run-record.js';
import { type ChunkRow, eventsOf } from './log-chunks.js';
import { type ChunkOrGap, LogContent } from './log-content.js';
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

const LENGTH = 'SELECT next_seq FROM runs WHERE no = ?';

const READ_FIRST = 'FROM run_event_chunks c WHERE run_no = ? AND first_seq <= ? ORDER BY first_seq DESC LIMIT 1';
const READ_NEXT = 'FROM run_event_chunks c WHERE run_no = ? AND first_seq > ? ORDER BY first_seq LIMIT ?';
const READ_WITH = `FROM (
    SELECT * FROM run_event_chunks WHERE run_no = ? AND first_seq <= ? ORDER BY first_seq DESC LIMIT 1
  ) c WHERE first_seq + event_count > ?`;
const READ_LAST = 'FROM run_event_chunks c WHERE run_no = ? ORDER BY first_seq DESC LIMIT 1';

/** What is left of a run whose partition was dropped. */
const READ_RESULT = `FROM (
    SELECT run_no, seq AS first_seq, 1 AS event_count, body, created_at, NULL AS times FROM run_results
    WHERE run_no = ? AND seq >= ?
  ) c`;

const STEPS = `
  SELECT step_key, status, input_hash, output, message_ids, started_at, updated_at,
    (SELECT r.tenant_id FROM runs r WHERE r.no = s.run_no) AS tenant_id
  FROM run_steps s WHERE run_no = ?`;

interface StepRow {
  readonly step_key: string;
  readonly status: string;
  readonly input_hash: string;
  readonly output: string | null;
  readonly message_ids: string;
  readonly started_at: number | string | null;
  readonly updated_at: number | string;
  readonly tenant_id: string;
}

const REMOVE_BEFORE = 'DELETE FROM run_event_chunks WHERE run_no = ? AND first_seq < ?';
const REMOVE_ROWS_BEFORE_LAST = `
  DELETE FROM run_event_chunks
  WHERE run_no = ? AND first_seq < (SELECT MAX(l.first_seq) FROM run_event_chunks l WHERE l.run_no = ?)`;
const REMOVE_STEPS = 'DELETE FROM run_steps WHERE run_no = ?';

/** Runs of one statement: their numbers choose the partitions. */
const REMOVED_AT_ONCE = 500;

interface WrittenRow {
  readonly keep: RunVisibility;
  readonly cancel_requested_at: number | string | null;
}

/** Logs as chunks: the lines of one commit of one run are one row. */
@Injectable()
export class SqlRunLog extends RunLog {
  private readonly content: LogContent;

  constructor(private readonly database: Database) {
    super();
    this.content = new LogContent(database.content);
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
    if (lines.length === 0 && steps.length === 0) return writtenRun(row);
    const found = this.database.content.of(run.tenantId, sql);
    const seal = found instanceof Promise ? await found : found;
    if (lines.length > 0) sql.send(INSERT_CHUNK, chunkValues(write, seal));
    for (const { key, status, inputHash, output, messageIds, startedAt } of steps) {
      const ids = JSON.stringify(messageIds);
      const stored = output && seal.json(stepPlace(run.rowId, key), JSON.stringify(output));
      sql.send(UPSERT_STEP, [run.rowId, key, status, inputHash, stored, ids, startedAt ?? null, at]);
    }
    return writtenRun(row);
  }

  async appendEvents(tx: Transaction, writes: readonly LogWrite[]): Promise<readonly boolean[]> {
    if (queryable(tx).dialect === 'postgres' && writes.length > 1) return this.appendMany(tx, writes);
    const written: boolean[] = [];
    for (const write of writes) written.push(await this.appendOnly(tx, write));
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
    let chunks: readonly ChunkRow[] = await this.content.chunks(read, READ_FIRST, [runRowId, fromSeq]);
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
      chunks = await this.content.chunks(read, READ_NEXT, [runRowId, last, Math.min(wanted, 64)]);
      const [following] = chunks;
      if (!following) return last === -1 ? this.result(runRowId, fromSeq) : events;
      const next = nextOf(events);
      if (next !== undefined && following.first_seq > next) {
        chunks = await this.content.chunks(read, READ_FIRST, [runRowId, next]);
        // Removed meanwhile, all but the last.
        if (!chunks[0] || chunks[0].first_seq === last) return events;
      }
    }
  }

  async readChunk(runRowId: number, fromSeq: number): Promise<LogChunk | undefined> {
    const find = async (rest: string, values: readonly number[]): Promise<ChunkOrGap | undefined> =>
      (await this.content.chunksOrGaps(this.database.read, rest, values))[0];
    const chunk =
      (await find(READ_WITH, [runRowId, fromSeq, fromSeq])) ??
      (await find(READ_NEXT, [runRowId, fromSeq, 1])) ??
      (await find(READ_RESULT, [runRowId, fromSeq]));
    if (!chunk) return undefined;
    const { first_seq, event_count, body } = chunk;
    return {
      fromSeq: Math.max(fromSeq, first_seq),
      toSeq: first_seq + event_count - 1,
      events: body === null ? undefined : eventsOf({ ...chunk, body }, fromSeq),
    };
  }

  async select(runRowId: number, query: EventSelection): Promise<readonly LoggedEvent[]> {
    const { kinds, after = -1, before = Number.MAX_SAFE_INTEGER, order } = query;
    const chunks = await this.content.select(this.database.forRuns.read, runRowId, query);
    const events: LoggedEvent[] = [];
    for (const chunk of chunks) {
      const ofChunk = eventsOf(chunk, 0);
      events.push(...(order === 'desc' ? ofChunk.reverse() : ofChunk));
    }
    const found = chunks.length > 0 ? events : await this.result(runRowId, 0);
    return found.filter(({ seq, kind }) => seq > after && seq < before && kinds.includes(kind));
  }

  async stateBefore(tx: Transaction, runRowId: number): Promise<JsonObject | undefined> {
    const wanted = { kinds: ['state'], order: 'asc', limit: 1 } as const;
    const [chunk] = await this.content.select(queryable(tx), runRowId, wanted);
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
    const { content } = this.database;
    const rows = await this.database.forRuns.read.all<StepRow>(STEPS, [runRowId]);
    return content.reading(() =>
      rows.map((row): JournalStep => {
        const output = content.json(row.tenant_id, stepPlace(runRowId, row.step_key), row.output);
        return {
          key: row.step_key,
          status: row.status === 'finished' ? 'finished' : 'begun',
          inputHash: row.input_hash,
          output: output === null ? null : (JSON.parse(output) as JsonObject),
          messageIds: JSON.parse(row.message_ids) as string[],
          ...(row.started_at !== null && { startedAt: Number(row.started_at) }),
          updatedAt: Number(row.updated_at),
        };
      }),
    );
  }

  async remove(tx: Transaction, runRowIds: readonly number[]): Promise<void> {
    const { manager } = queryable(tx);
    for (let first = 0; first < runRowIds.length; first += REMOVED_AT_ONCE) {
      const runRowId = In(runRowIds.slice(first, first + REMOVED_AT_ONCE));
      await manager.delete(RunEventChunkEntity, { runRowId });
      await manager.delete(RunResultEntity, { runRowId });
      await manager.delete(RunStepEntity, { runRowId });
    }
  }

  async removeAllButLast(tx: Transaction, run: RunRecord): Promise<number> {
    const { rowId, isCompacted, nextSeq } = run;
    const sql = queryable(tx);
    sql.send(REMOVE_STEPS, [rowId]);
    if (isCompacted) {
      sql.send(REMOVE_BEFORE, [rowId, nextSeq - 1]);
      return nextSeq - 1;
    }
    const [last] = await this.content.readableChunks(sql, READ_LAST, [rowId]);
    // A last row that cannot be decrypted stays as it is.
    if (!last) return sql.run(REMOVE_ROWS_BEFORE_LAST, [rowId, rowId]);
    const seq = last.first_seq + last.event_count - 1;
    const [event] = eventsOf(last, seq);
    sql.send(REMOVE_BEFORE, [rowId, seq + 1]);
    const seal = await this.database.content.of(run.tenantId, sql);
    const write = event && { run, firstSeq: seq, lines: [event.json], at: event.at };
    if (write) sql.send(INSERT_CHUNK, chunkValues(write, seal));
    return seq;
  }

  /** The terminal event, if it is all that is left of the log. */
  private async result(runRowId: number, fromSeq: number): Promise<LoggedEvent[]> {
    const rows = await this.content.chunks(this.database.read, READ_RESULT, [runRowId, fromSeq]);
    return rows.flatMap((row) => eventsOf(row, fromSeq));
  }

  /** Without RETURNING, which on SQLite is a fifth of what both statements cost. */
  private async appendOnly(tx: Transaction, write: LogWrite): Promise<boolean> {
    const { run, firstSeq, lines } = write;
    const sql = queryable(tx);
    const advanced = await sql.run(ADVANCE, [lines.length, run.rowId, run.fence, firstSeq]);
    if (advanced === 0) return false;
    const found = this.database.content.of(run.tenantId, sql);
    sql.send(INSERT_CHUNK, chunkValues(write, found instanceof Promise ? await found : found));
    return true;
  }

  private async appendMany(tx: Transaction, writes: readonly LogWrite[]): Promise<readonly boolean[]> {
    const { content } = this.database;
    const input: object[] = [];
    for (const write of writes) {
      const found = content.of(write.run.tenantId, queryable(tx));
      const [run_no, first_seq, event_count, body, at] = chunkValues(
        write,
        found instanceof Promise ? await found : found,
      );
      input.push({ run_no, fence: write.run.fence, first_seq, event_count, body, at });
    }
    const rows = await queryable(tx).all<{ no: number; fence: number }>(APPEND_MANY, [JSON.stringify(input)]);
    const written = new Set(rows.map(({ no, fence }) => `${no}/${fence}`));
    return writes.map(({ run }) => written.has(`${run.rowId}/${run.fence}`));
  }
}

/** The values of `INSERT_CHUNK`. */
function chunkValues(
  { run, firstSeq, lines, at }: Pick<LogWrite, 'run' | 'firstSeq' | 'lines' | 'at'>,
  seal: TenantSeal,
): SqlValue[] {
  const body = seal.json(chunkPlace(run.rowId, firstSeq), lines.join('\n'));
  return [run.rowId, firstSeq, lines.length, body, at];
}

function writtenRun({ keep, cancel_requested_at }: WrittenRow): WrittenRun {
  return { visibility: keep, cancelRequested: cancel_requested_at !== null };
}

/** The number after the last event; undefined without events. */
function nextOf(events: readonly LoggedEvent[]): number | undefined {
  const last = events.at(-1);
  return last && last.seq + 1;
}
