import { chunkPlace, type ContentSeals, type Queryable, readable, type SqlValue } from '../../../database/index.js';
import type { EventSelection } from '../../ports/run-log.js';
import type { ChunkRow } from './log-chunks.js';

const COLUMNS = 'SELECT first_seq, event_count, body, created_at, times';
const WITH_TENANT = `${COLUMNS}, run_no, (SELECT r.tenant_id FROM runs r WHERE r.no = c.run_no) AS tenant_id`;
/** Sealed rows that one statement reads in search of events. */
const SEALED_AT_ONCE = 64;
const GREATEST_SEQ = 2_147_483_647;

/** A row of events with how many they are. */
type CountedChunk = ChunkRow & { readonly event_count: number };

/** A row of events whose body is null if it cannot be decrypted. */
export type ChunkOrGap = Omit<CountedChunk, 'body'> & { readonly body: string | null };

/** As it is read where content is sealed. */
type StoredChunk = CountedChunk & { readonly run_no: number; readonly tenant_id: string };

/** Reads the rows of logs in the clear. */
export class LogContent {
  constructor(private readonly content: ContentSeals) {}

  /**
   * Rows of `run_event_chunks`, as `c`.
   *
   * @param rest what follows the columns of the statement
   * @throws UnreadableContent
   */
  async chunks(source: Queryable, rest: string, values: readonly SqlValue[]): Promise<readonly CountedChunk[]> {
    const { content } = this;
    if (!content.isOn) return source.all<CountedChunk>(`${COLUMNS} ${rest}`, values);
    const rows = await source.all<StoredChunk>(`${WITH_TENANT} ${rest}`, values);
    return content.reading(() => rows.map((row) => opened(content, row)));
  }

  /** As `chunks`, without those that cannot be decrypted. */
  async readableChunks(source: Queryable, rest: string, values: readonly SqlValue[]): Promise<readonly CountedChunk[]> {
    const { content } = this;
    if (!content.isOn) return this.chunks(source, rest, values);
    const rows = await source.all<StoredChunk>(`${WITH_TENANT} ${rest}`, values);
    return readable(content, rows, (row) => opened(content, row));
  }

  /** As `chunks`; a row that cannot be decrypted has no body. */
  async chunksOrGaps(source: Queryable, rest: string, values: readonly SqlValue[]): Promise<readonly ChunkOrGap[]> {
    const { content } = this;
    if (!content.isOn) return this.chunks(source, rest, values);
    const rows = await source.all<StoredChunk>(`${WITH_TENANT} ${rest}`, values);
    const gap = (row: StoredChunk): ChunkOrGap => ({ ...row, body: null });
    return readable<StoredChunk, ChunkOrGap>(content, rows, (row) => opened(content, row), gap);
  }

  /**
   * Rows that may hold events of some kinds, and events between two numbers.
   *
   * @throws UnreadableContent
   */
  async select(source: Queryable, runRowId: number, query: EventSelection): Promise<readonly ChunkRow[]> {
    const { kinds, after = -1, before = GREATEST_SEQ, order, limit } = query;
    const marks = kinds.map((kind) => `{"object":"${kind}"`);
    const likes = marks.map(() => 'body LIKE ?').join(' OR ');
    const direction = order === 'desc' ? 'DESC' : 'ASC';
    const rest = (matches: string): string => `FROM run_event_chunks c
       WHERE run_no = ? AND first_seq + event_count > ? + 1 AND first_seq < ? AND ${matches}
       ORDER BY first_seq ${direction} LIMIT ?`;
    // Numbers of events fit into the column's type.
    const bounds: [number, number] = [after, Math.min(before, GREATEST_SEQ)];
    if (!this.content.isOn) {
      const patterns = marks.map((mark) => `%${mark}%`);
      return this.chunks(source, rest(`(${likes})`), [runRowId, ...bounds, ...patterns, limit]);
    }
    const found: CountedChunk[] = [];
    for (;;) {
      // What is sealed cannot be searched: all rows are read, until enough of them have been found.
      const rows = await this.chunks(source, rest('1 = 1'), [runRowId, ...bounds, SEALED_AT_ONCE]);
      found.push(...rows.filter(({ body }) => marks.some((mark) => body.includes(mark))));
      const last = rows.at(-1);
      if (!last || rows.length < SEALED_AT_ONCE || found.length >= limit) return found.slice(0, limit);
      if (order === 'desc') bounds[1] = last.first_seq;
      else bounds[0] = last.first_seq + last.event_count - 1;
    }
  }
}

function opened(content: ContentSeals, row: StoredChunk): CountedChunk {
  const { run_no, tenant_id, first_seq, event_count, created_at, times } = row;
  const body = content.json(tenant_id, chunkPlace(run_no, first_seq), row.body);
  return { first_seq, event_count, body, created_at, times };
}
