import { Injectable } from '@nestjs/common';
import { AppError, isStorable, type Reach } from '../../../common/index.js';
import { inputTextOf, openInputText, RequestDatabase, reachCondition, type SqlValue } from '../../../database/index.js';
import {
  SessionSearch,
  type SessionSearchQuery,
  type SessionSummary,
  type SessionSummaryPage,
} from '../ports/session-search.js';
import { cursorAfter, readCursor } from './session.row.js';

/** Runs that are not stored are shown until they end. */
const NEWEST_RUN = `(SELECT r.no FROM runs r
  WHERE r.session_no = s.no AND (r.keep <> 'transient' OR r.status IN ('queued', 'running'))
  ORDER BY r.ordinal DESC LIMIT 1)`;
/** The text that it began with; runs that continue with an answer have none. */
const titleOf = (inputText: string): string => `(SELECT ${inputText} FROM runs r
  WHERE r.session_no = s.no AND r.input_text IS NOT NULL ORDER BY r.ordinal LIMIT 1)`;
/** Of the newest run: what it has asked that is still open, an approval before an input; empty if all was answered; null if it has asked nothing. */
const OPEN_KIND = `(SELECT CASE WHEN COUNT(*) > 0 THEN COALESCE(MIN(CASE WHEN i.status = 'pending' THEN i.kind END), '') END
  FROM interrupts i WHERE i.session_no = s.no AND (i.run_no = s.run_no OR i.waiting_run_no = s.run_no))`;
const COLUMNS = 's.no, s.id, s.tenant_id, s.user_id, s.created_at, s.updated_at, s.message_count';

/** A row as the lists read it. */
interface SummaryRow {
  readonly no: number;
  readonly id: string;
  readonly tenant_id: string;
  readonly user_id: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly message_count: number;
  readonly title: string | null;
  readonly run_id: string | null;
  readonly agent_type: string | null;
  readonly wire: string | null;
  readonly status: string | null;
  readonly input_text: string | null;
  readonly open_kind: 'approval' | 'input' | '' | null;
}

/** Lists of sessions in the ledger. */
@Injectable()
export class SqlSessionSearch extends SessionSearch {
  constructor(private readonly database: RequestDatabase) {
    super();
  }

  async list(reach: Reach, { limit, cursor }: SessionSearchQuery): Promise<SessionSummaryPage> {
    const owner = reachCondition(reach, 's');
    const after = cursor === undefined ? [] : readCursor(cursor);
    const where =
      `s.unlisted = 0 AND ${owner.sql}` + (cursor === undefined ? '' : ' AND (s.updated_at, s.no) < (?, ?)');
    const rows = await this.select(`${where} ORDER BY s.updated_at DESC, s.no DESC LIMIT ?`, [
      ...owner.values,
      ...after,
      limit + 1,
    ]);
    const items = rows.slice(0, limit).map(summaryOf);
    const last = rows[limit - 1];
    return rows.length > limit && last ? { items, nextCursor: cursorAfter(last) } : { items };
  }

  async find(reach: Reach, sessionId: string): Promise<SessionSummary | undefined> {
    if (!isStorable(sessionId)) return undefined;
    const owner = reachCondition(reach, 's');
    const [row, another] = await this.select(`${owner.sql} AND s.id = ? LIMIT 2`, [...owner.values, sessionId]);
    if (another) throw new AppError('AMBIGUOUS_ID');
    return row && summaryOf(row);
  }

  private async select(rest: string, values: readonly SqlValue[]): Promise<readonly SummaryRow[]> {
    const { content } = this.database;
    const inputText = inputTextOf(content, 'r');
    const sessions = `SELECT ${COLUMNS}, ${titleOf(inputText)} AS title, ${NEWEST_RUN} AS run_no FROM sessions s WHERE ${rest}`;
    const columns = `s.*, r.id AS run_id, r.agent_type, r.wire, r.status, ${inputText} AS input_text, ${OPEN_KIND} AS open_kind`;
    const sql = `SELECT ${columns} FROM (${sessions}) s LEFT JOIN runs r ON r.no = s.run_no ORDER BY s.updated_at DESC, s.no DESC`;
    const rows = await this.database.read.all<SummaryRow>(sql, values);
    const opened = (row: SummaryRow, text: string | null): string | null => openInputText(content, row.tenant_id, text);
    return content.reading(() =>
      rows.map((row) => ({ ...row, title: opened(row, row.title), input_text: opened(row, row.input_text) })),
    );
  }
}

function summaryOf(row: SummaryRow): SessionSummary {
  const { run_id: runId, agent_type: agentType, wire, status: state } = row;
  const hasRun = runId !== null && agentType !== null && wire !== null && state !== null;
  // A run that has asked nobody waits for its client.
  const waitsFor = state === 'interrupted' ? (row.open_kind ?? 'client') || null : null;
  return {
    sessionId: row.id,
    userId: row.user_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    messageCount: row.message_count,
    title: row.title,
    lastRun: hasRun ? { runId, agentType, wire, state, inputText: row.input_text, waitsFor } : null,
  };
}
