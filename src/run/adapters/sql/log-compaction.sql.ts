import { Injectable } from '@nestjs/common';
import type { JsonObject } from '../../../common/index.js';
import { chunkPlace, RequestDatabase, runPlace, type Queryable, type TenantSeal } from '../../../database/index.js';
import { LogCompaction } from '../../ports/log-compaction.js';
import type { RunRecord } from '../../run-record.js';
import { linesOf, segmentsOf } from './log-chunks.js';
import { LogContent } from './log-content.js';
import { jsonText, RUN_COLUMNS, type RunRow, runRecords } from './run.row.js';

/** A log with more events stays as it is: it would have to be in memory as a whole. */
const MAX_EVENTS = 100_000;

const UNCOMPACTED = 'finished_at IS NOT NULL AND compacted_at IS NULL AND events_pruned_at IS NULL';
const PENDING = `
  SELECT ${RUN_COLUMNS} FROM runs WHERE ${UNCOMPACTED} AND finished_at < ? ORDER BY finished_at LIMIT ?`;
const LOCK = `SELECT no FROM runs WHERE no = ? AND ${UNCOMPACTED} FOR UPDATE SKIP LOCKED`;
const READ = 'FROM run_event_chunks c WHERE run_no = ? ORDER BY first_seq';
const REMOVE = 'DELETE FROM run_event_chunks WHERE run_no = ?';
const INSERT = `
  INSERT INTO run_event_chunks (run_no, first_seq, event_count, body, created_at, times) VALUES (?, ?, ?, ?, ?, ?)`;
const MARK = 'UPDATE runs SET compacted_at = ?, digests = ? WHERE no = ?';

/**
 * Compacts logs on PostgreSQL, which compresses the long rows that result. SQLite does not compress, and its only
 * writer has better things to do.
 */
@Injectable()
export class SqlLogCompaction extends LogCompaction {
  private readonly content: LogContent;

  constructor(private readonly database: RequestDatabase) {
    super();
    this.content = new LogContent(database.content);
  }

  get isUseful(): boolean {
    return this.database.dialect === 'postgres';
  }

  async pending(finishedBefore: number, limit: number): Promise<readonly RunRecord[]> {
    const rows = await this.database.read.all<RunRow>(PENDING, [finishedBefore, limit]);
    return runRecords(rows, this.database.content);
  }

  compact(run: RunRecord, summaries: JsonObject | null, now: number): Promise<boolean> {
    const { rowId, nextSeq } = run;
    return this.database.write(async (tx) => {
      if ((await tx.all(LOCK, [rowId])).length === 0) return false;
      const seal = await this.database.content.of(run.tenantId, tx);
      const isRewritten = nextSeq <= MAX_EVENTS && (await this.rewrite(tx, run, seal));
      const stored = seal.json(runPlace('digests', run.sessionRowId, run.ordinal), jsonText(summaries));
      await tx.run(MARK, [isRewritten ? now : 0, stored, rowId]);
      return true;
    });
  }

  /** Returns false, and changes nothing, if the log is damaged or cannot be decrypted. */
  private async rewrite(tx: Queryable, { rowId, nextSeq }: RunRecord, seal: TenantSeal): Promise<boolean> {
    const chunks = await this.content.readableChunks(tx, READ, [rowId]);
    const lines = chunks.flatMap((chunk) => linesOf(chunk, 0));
    if (lines.length !== nextSeq || lines.some(({ seq }, index) => seq !== index)) return false;
    tx.send(REMOVE, [rowId]);
    for (const { firstSeq, count, body, createdAt, times } of segmentsOf(lines)) {
      // PostgreSQL cannot compress what is sealed.
      const stored = seal.json(chunkPlace(rowId, firstSeq), body, { compress: true });
      tx.send(INSERT, [rowId, firstSeq, count, stored, createdAt, times]);
    }
    return true;
  }
}
