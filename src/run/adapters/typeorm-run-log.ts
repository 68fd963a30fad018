import { Injectable } from '@nestjs/common';
import { Database, type Queryable, type SqlValue } from '../../database/index.js';
import { LoggedEvent } from '../../events/index.js';
import { InterruptStore } from '../../interrupt/index.js';
import { SessionStore } from '../../session/index.js';
import { type LogWrite, type RunEnd, RunLog } from '../ports/run-log.js';
import type { RunVisibility } from '../ports/run-store.js';
import { openQuestions } from './open-questions.js';

/** Only the holder of the fence writes, and only where the log ends. */
const ADVANCE = `
  UPDATE runs SET next_seq = next_seq + ? WHERE no = ? AND fence = ? AND next_seq = ? AND status = 'running'
  RETURNING keep, cancel_requested_at`;

const FINISH = `
  UPDATE runs SET next_seq = next_seq + ?, status = ?, error = ?, usage = ?, finished_at = ?, lease_owner = NULL,
    lease_until = 0
  WHERE no = ? AND fence = ? AND next_seq = ? AND status = 'running' RETURNING keep, cancel_requested_at`;

const INSERT_CHUNK = `
  INSERT INTO run_event_chunks (run_no, first_seq, event_count, body, created_at) VALUES (?, ?, ?, ?, ?)`;

/**
 * Many runs in one statement: on PostgreSQL every statement is a round trip. A run may come twice, under
 * two fences: once this process has lost its lease and taken the run over again.
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

const UPSERT_STEP = `
  INSERT INTO run_steps (run_no, step_key, status, input_hash, output, message_ids, updated_at)
  VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (run_no, step_key) DO UPDATE SET status = excluded.status, input_hash = excluded.input_hash,
    output = excluded.output, message_ids = excluded.message_ids, updated_at = excluded.updated_at`;

const READ_FIRST = `
  SELECT first_seq, body, created_at FROM run_event_chunks WHERE run_no = ? AND first_seq <= ? ORDER BY first_seq DESC LIMIT 1`;

const READ_NEXT = `
  SELECT first_seq, body, created_at FROM run_event_chunks WHERE run_no = ? AND first_seq > ? ORDER BY first_seq LIMIT ?`;

interface ChunkRow {
  readonly first_seq: number;
  readonly body: string;
  /** A string from PostgreSQL, whose bigint may be larger than a number. */
  readonly created_at: number | string;
}

/** What a write needs to know of its run. */
interface WrittenRow {
  readonly keep: RunVisibility;
  readonly cancel_requested_at: number | string | null;
}

/** The log as chunk rows: the lines of one commit of one run in one row. */
@Injectable()
export class TypeOrmRunLog extends RunLog {
  constructor(
    private readonly database: Database,
    private readonly sessions: SessionStore,
    private readonly interrupts: InterruptStore,
  ) {
    super();
  }

  append(writes: readonly LogWrite[]): Promise<readonly boolean[]> {
    return this.database.write(async (tx) => {
      const plain = tx.dialect === 'postgres' ? writes.filter(isPlain) : [];
      const written = plain.length > 1 ? await appendMany(tx, plain) : undefined;
      const results: boolean[] = [];
      for (const write of writes) {
        results.push(
          written && isPlain(write)
            ? written.has(holderOf(write.runRowId, write.fence))
            : await this.appendOne(tx, write),
        );
      }
      return results;
    });
  }

  async committed(write: LogWrite): Promise<boolean> {
    // Without events the end of the log tells nothing; writing the steps again does no harm.
    if (write.lines.length === 0) return false;
    const sql = `SELECT 1 AS yes FROM runs r WHERE r.no = ? AND r.fence = ? AND r.next_seq = ?`;
    const rows = await this.database.read.all(sql, [write.runRowId, write.fence, write.firstSeq + write.lines.length]);
    return rows.length > 0;
  }

  async read(runRowId: number, fromSeq: number, limit: number): Promise<readonly LoggedEvent[]> {
    const events: LoggedEvent[] = [];
    let chunks = await this.database.read.all<ChunkRow>(READ_FIRST, [runRowId, fromSeq]);
    let last = -1;
    let chunkCount = 0;
    let lineCount = 0;
    for (;;) {
      for (const chunk of chunks) {
        lineCount += collect(chunk, fromSeq, events);
        chunkCount += 1;
        last = chunk.first_seq;
      }
      if (events.length >= limit) return events;
      // Chunks hold one event or hundreds: ask for about as many rows as the rest of the page needs.
      const wanted = Math.ceil(((limit - events.length) * chunkCount) / Math.max(1, lineCount)) + 1;
      chunks = await this.database.read.all<ChunkRow>(READ_NEXT, [runRowId, last, Math.min(wanted, 64)]);
      if (chunks.length === 0) return events;
    }
  }

  private async appendOne(tx: Queryable, write: LogWrite): Promise<boolean> {
    const guard: SqlValue[] = [write.runRowId, write.fence, write.firstSeq];
    const count = write.lines.length;
    const [row] = write.end
      ? await tx.all<WrittenRow>(FINISH, [count, ...endValues(write.end), write.at, ...guard])
      : await tx.all<WrittenRow>(ADVANCE, [count, ...guard]);
    if (!row) return false;
    if (count > 0) {
      await tx.run(INSERT_CHUNK, [write.runRowId, write.firstSeq, count, write.lines.join('\n'), write.at]);
    }
    for (const step of write.steps) {
      const output = step.output === null ? null : JSON.stringify(step.output);
      const ids = JSON.stringify(step.messageIds);
      await tx.run(UPSERT_STEP, [write.runRowId, step.key, step.status, step.inputHash, output, ids, write.at]);
    }
    if (write.notes) await this.interrupts.audit(tx, write.runRowId, write.notes, write.at);
    // Most commits hold pieces of a text only.
    if (row.keep === 'kept' && (write.messages || write.end)) await this.addMessages(tx, write);
    if (write.end) await this.saveSession(tx, write, write.end, row);
    return true;
  }

  /** Messages join the session of a run that counts; its end adds the last of them. */
  private async addMessages(tx: Queryable, write: LogWrite): Promise<void> {
    const { lines, messages = [], end } = write;
    // A write without events may be made twice.
    const ids = messages.map(({ id }) => id);
    const known = lines.length === 0 ? await this.sessions.known(tx, write.sessionRowId, ids) : undefined;
    const fresh = known ? messages.filter(({ id }) => !known.has(id)) : messages;
    await this.sessions.append(tx, write, [...fresh, ...(end?.output ?? [])], write.at, { origin: 'output' });
  }

  /** What the end of a run leaves in its session beside messages: no state when it was rolled back. */
  private async saveSession(tx: Queryable, write: LogWrite, end: RunEnd, ended: WrittenRow): Promise<void> {
    const { sessions, interrupts } = this;
    if (end.asked)
      await openQuestions(tx, { sessions, interrupts }, write, end.asked, ended.cancel_requested_at !== null);
    if (end.sessionState && ended.keep !== 'rolled_back')
      await sessions.saveState(tx, write.sessionRowId, end.sessionState, write.at);
  }
}

function isPlain(write: LogWrite): boolean {
  return write.end === undefined && write.steps.length === 0 && !write.messages && !write.notes;
}

function endValues(end: RunEnd): SqlValue[] {
  return [end.state, end.error && JSON.stringify(end.error), end.usage && JSON.stringify(end.usage)];
}

/** Who writes a run. */
function holderOf(runRowId: number, fence: number): string {
  return `${runRowId}/${fence}`;
}

async function appendMany(tx: Queryable, writes: readonly LogWrite[]): Promise<Set<string>> {
  const input = writes.map((write) => ({
    run_no: write.runRowId,
    fence: write.fence,
    first_seq: write.firstSeq,
    event_count: write.lines.length,
    body: write.lines.join('\n'),
    at: write.at,
  }));
  const rows = await tx.all<{ no: number; fence: number }>(APPEND_MANY, [JSON.stringify(input)]);
  return new Set(rows.map(({ no, fence }) => holderOf(no, fence)));
}

/** Adds the events from `fromSeq` on and returns how many the chunk holds in all. */
function collect(chunk: ChunkRow, fromSeq: number, into: LoggedEvent[]): number {
  const lines = chunk.body.split('\n');
  const at = Number(chunk.created_at);
  lines.forEach((line, index) => {
    const seq = chunk.first_seq + index;
    if (seq >= fromSeq) into.push(new LoggedEvent(seq, line, undefined, at));
  });
  return lines.length;
}
