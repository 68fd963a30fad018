import { Injectable } from '@nestjs/common';
import { AppError, Clock, isStorable, type Reach } from '../../../common/index.js';
import {
  type ContentSeals,
  RequestDatabase,
  reachCondition,
  runPlace,
  type SqlCondition,
  type SqlValue,
} from '../../../database/index.js';
import type { ErrorModel, Usage } from '../../../events/index.js';
import type { ListedRunName, RunListPage, RunListQuery, RunSummary, RunTurn } from '../../ports/run-queries.js';
import { type ListedRun, RunSearch } from '../../ports/run-search.js';
import type { RunState } from '../../run.types.js';
import { AMONG, turnIn, turnsOf } from './run-turns.sql.js';

/** How many runs one page looks at: those that a filter leaves out count, too. */
export const LOOKED_AT = 5000;
/** How many runs `changing` returns at most, of each kind. */
const ACTIVE_LIMIT = 250;
/** Reaches in one statement of `changing`: SQLite takes 500 parts at most. */
const REACHES_AT_ONCE = 100;

const COLUMNS = `no, id, tenant_id, user_id, session_id, session_no, ordinal, agent_type, wire, status, attempt, model,
  input_text, input_sealed, created_at, started_at, finished_at, error, usage, answered_by, keep`;
/** Runs that have not ended: the condition of an index. */
const ACTIVE = `status IN ('queued', 'running')`;
/** Runs that are not stored are found until they end. */
const LISTED = `(r.keep <> 'transient' OR r.status IN ('queued', 'running'))`;
const QUEUED_BEFORE = `CASE WHEN r.status = 'queued' THEN (SELECT COUNT(*) FROM runs q
  WHERE q.session_no = r.session_no AND q.ordinal < r.ordinal AND q.status IN ('queued', 'running')
    AND q.status = 'queued') END AS queued_before`;

/** The runs of a session from one on. */
const OF_TURN = `SELECT r.*, ${QUEUED_BEFORE} FROM (
    SELECT ${COLUMNS} FROM runs
    WHERE session_no = ? AND ordinal >= (SELECT f.ordinal FROM runs f WHERE f.session_no = ? AND f.id = ?)
    ORDER BY ordinal LIMIT 100
  ) r WHERE ${LISTED} ORDER BY r.ordinal`;

/** A row as the lists read it. */
interface SummaryRow {
  readonly no: number;
  readonly id: string;
  readonly tenant_id: string;
  readonly user_id: string;
  readonly session_id: string;
  readonly session_no: number;
  readonly ordinal: number;
  readonly agent_type: string;
  readonly wire: string;
  readonly status: RunState;
  readonly attempt: number;
  readonly model: string | null;
  readonly input_text: string | null;
  readonly input_sealed: string | null;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly finished_at: number | null;
  readonly error: string | null;
  readonly usage: string | null;
  readonly answered_by: string | null;
  readonly queued_before: number | string | null;
}

/** The part of a row that a run in full is completed with. */
type TurnRow = Pick<SummaryRow, 'no' | 'status' | 'answered_by' | keyof InputRow>;

/** The columns that the first words of an input are read from. */
type InputRow = Pick<SummaryRow, 'tenant_id' | 'session_no' | 'ordinal' | 'input_text' | 'input_sealed'>;
const INPUT_COLUMNS = 'tenant_id, session_no, ordinal, input_text, input_sealed';

/** The columns that a list is ordered by, and where a page ended. */
type Position = readonly [value: number, no: number];

/** A part of the index that a page is read from. */
interface Range {
  /** What the rows are ordered by, before their number. */
  readonly key: 'created_at' | 'ordinal';
  readonly conditions: readonly SqlCondition[];
}

/** Lists of runs in the ledger. A page reads one range of one index, and at most `LOOKED_AT` rows of it. */
@Injectable()
export class SqlRunSearch extends RunSearch {
  constructor(
    private readonly database: RequestDatabase,
    private readonly clock: Clock,
  ) {
    super();
  }

  async list(reach: Reach, query: RunListQuery): Promise<RunListPage> {
    const range = await this.rangeOf(reach, query);
    if (!range) return { items: [] };
    const rows = await this.rows(range, query);
    const items = await this.summaries(rows.slice(0, query.limit));
    const last = rows[query.limit - 1];
    if (last && rows.length > query.limit) {
      return { items, nextCursor: cursorOf([Number(last[range.key]), last.no]) };
    }
    const [rest] = await this.database.read.all<Record<string, number | string>>(...restStatement(range));
    return rest ? { items, nextCursor: cursorOf([Number(rest[range.key]), Number(rest['no'])]) } : { items };
  }

  async changing(reaches: readonly Reach[], endedSince: number): Promise<readonly (readonly ListedRun[])[]> {
    const found = reaches.map((): ListedRun[] => []);
    for (let first = 0; first < reaches.length; first += REACHES_AT_ONCE) {
      const parts = reaches
        .slice(first, first + REACHES_AT_ONCE)
        .map((reach, index) => changingOf(reach, first + index, endedSince));
      const rows = await this.database.read.all<SummaryRow & { readonly reach: number }>(
        `SELECT r.*, ${QUEUED_BEFORE} FROM (${parts.map(({ sql }) => sql).join(' UNION ALL ')}) r WHERE ${LISTED}`,
        parts.flatMap(({ values }) => values),
      );
      const summaries = await this.summaries(rows);
      rows.forEach(({ no, reach }, index) => {
        const summary = summaries[index];
        if (summary) found[reach]?.push({ rowId: no, summary });
      });
    }
    return found;
  }

  async newest(reach: Reach, limit: number): Promise<readonly (ListedRunName & { readonly rowId: number })[]> {
    const { sql, values } = reachCondition(reach);
    const rows = await this.database.read.all<Pick<SummaryRow, 'no' | 'id' | 'user_id'>>(
      `SELECT no, id, user_id FROM runs r WHERE ${sql} AND ${LISTED} ORDER BY created_at DESC, no DESC LIMIT ?`,
      [...values, limit],
    );
    return rows.reverse().map(({ no, id, user_id }) => ({ rowId: no, runId: id, userId: user_id }));
  }

  async present(rowIds: readonly number[]): Promise<ReadonlySet<number>> {
    const sql = `SELECT no FROM runs r WHERE ${AMONG[this.database.dialect]} AND ${LISTED}`;
    const rows = await this.database.read.all<{ no: number }>(sql, [JSON.stringify(rowIds)]);
    return new Set(rows.map(({ no }) => no));
  }

  async turn(runRowId: number): Promise<Pick<RunSummary, 'inputText' | 'answeredBy' | 'turn'>> {
    const sql = `SELECT no, status, ${INPUT_COLUMNS}, answered_by FROM runs WHERE no = ?`;
    const rows = await this.database.read.all<TurnRow>(sql, [runRowId]);
    const turns = await turnsOf(this.database, rows, this.clock.now());
    const [row] = rows;
    const { content } = this.database;
    return {
      inputText: row ? await content.reading(() => inputTextOf(content, row)) : null,
      answeredBy: row?.answered_by ?? null,
      turn: turnIn(turns, runRowId),
    };
  }

  async ofTurn(runRowId: number): Promise<readonly RunSummary[]> {
    const sql = 'SELECT no, id, session_no, status, input_text FROM runs WHERE no = ?';
    type Row = Pick<SummaryRow, 'no' | 'id' | 'session_no' | 'status' | 'input_text'>;
    const rows = await this.database.read.all<Row>(sql, [runRowId]);
    const [row] = rows;
    if (!row) return [];
    const turns = await turnsOf(this.database, rows, this.clock.now());
    const first = turnIn(turns, row.no).first?.runId ?? row.id;
    const summaries = await this.summaries(
      await this.database.read.all<SummaryRow>(OF_TURN, [row.session_no, row.session_no, first]),
    );
    const end = summaries.findIndex(({ turn }, index) => index > 0 && turn.first?.runId !== first);
    return end === -1 ? summaries : summaries.slice(0, end);
  }

  private async summaries(rows: readonly SummaryRow[]): Promise<readonly RunSummary[]> {
    const turns = await turnsOf(this.database, rows, this.clock.now());
    const { content } = this.database;
    return content.reading(() => rows.map((row) => summaryOf(row, inputTextOf(content, row), turnIn(turns, row.no))));
  }

  /** One more than a page of the runs of a range that pass the filters. */
  private async rows(range: Range, query: RunListQuery): Promise<readonly SummaryRow[]> {
    const { content, read } = this.database;
    const { text, limit, ...rest } = query;
    if (!content.isOn || text === undefined) return read.all<SummaryRow>(...listStatement(range, query));
    // The database cannot search what is sealed.
    const rows = await read.all<SummaryRow>(...listStatement(range, { ...rest, limit: LOOKED_AT }));
    const words = text.toLowerCase();
    const isFound = (row: SummaryRow): boolean =>
      row.id === text || row.session_id === text || (inputTextOf(content, row)?.toLowerCase().includes(words) ?? false);
    return content.reading(() => rows.filter(isFound).slice(0, limit + 1));
  }

  /**
   * Where the runs of a query are; undefined if there can be none.
   *
   * @throws AppError INVALID_PARAMETER, AMBIGUOUS_ID
   */
  private async rangeOf(reach: Reach, query: RunListQuery): Promise<Range | undefined> {
    const { sessionId, state, since, until, cursor } = query;
    const conditions: SqlCondition[] = [];
    if (sessionId === undefined) {
      conditions.push(reachCondition(reach));
      // No index holds the states of one user's runs: `filtersOf` tests them.
      if (state !== undefined && reach.of === 'tenant') conditions.push({ sql: 'status = ?', values: [state] });
    } else {
      const session = await this.sessionOf(reach, sessionId);
      if (session === undefined) return undefined;
      conditions.push({ sql: 'session_no = ?', values: [session] });
    }
    if (since !== undefined) conditions.push({ sql: 'created_at >= ?', values: [since] });
    if (until !== undefined) conditions.push({ sql: 'created_at < ?', values: [until] });
    const key = sessionId === undefined ? 'created_at' : 'ordinal';
    if (cursor !== undefined) conditions.push({ sql: `(${key}, no) < (?, ?)`, values: positionOf(cursor) });
    return { key, conditions };
  }

  private async sessionOf(reach: Reach, sessionId: string): Promise<number | undefined> {
    if (!isStorable(sessionId)) return undefined;
    const { sql, values } = reachCondition(reach);
    const [row, another] = await this.database.read.all<{ no: number }>(
      `SELECT no FROM sessions WHERE ${sql} AND id = ? LIMIT 2`,
      [...values, sessionId],
    );
    if (another) throw new AppError('AMBIGUOUS_ID');
    return row?.no;
  }
}

/** The runs of a reach that change, as rows with its number. */
function changingOf(reach: Reach, number: number, endedSince: number): SqlCondition {
  const { sql, values } = reachCondition(reach);
  const part = (conditions: string, order: string): string =>
    `SELECT * FROM (SELECT ${number} AS reach, ${COLUMNS} FROM runs WHERE ${sql} AND ${conditions}
      ORDER BY ${order} LIMIT ${ACTIVE_LIMIT}) part`;
  const parts = [
    part(`${ACTIVE} AND status = 'queued'`, 'created_at DESC, no DESC'),
    part(`${ACTIVE} AND status = 'running'`, 'created_at DESC, no DESC'),
    part('finished_at >= ?', 'finished_at DESC'),
  ];
  return { sql: parts.join(' UNION ALL '), values: [...values, ...values, ...values, endedSince] };
}

/** One more than a page of the runs of a range that pass the filters. */
export function listStatement(range: Range, query: RunListQuery): readonly [sql: string, values: SqlValue[]] {
  const { key, conditions } = range;
  const filters = filtersOf(query);
  const where = conditions.map(({ sql }) => sql).join(' AND ');
  const sql = `SELECT r.*, ${QUEUED_BEFORE} FROM (
      SELECT ${COLUMNS} FROM runs WHERE ${where} ORDER BY ${key} DESC, no DESC LIMIT ${LOOKED_AT}
    ) r WHERE ${[LISTED, ...filters.map((filter) => filter.sql)].join(' AND ')}
    ORDER BY r.${key} DESC, r.no DESC LIMIT ?`;
  const values = [...conditions, ...filters].flatMap((one) => one.values);
  return [sql, [...values, query.limit + 1]];
}

/** The last run of a range that a page looks at; none if the range ends before. */
export function restStatement({ key, conditions }: Range): readonly [sql: string, values: SqlValue[]] {
  const where = conditions.map(({ sql }) => sql).join(' AND ');
  const sql = `SELECT ${key}, no FROM runs WHERE ${where} ORDER BY ${key} DESC, no DESC LIMIT 1 OFFSET ${LOOKED_AT - 1}`;
  return [sql, conditions.flatMap(({ values }) => values)];
}

/** What the runs of a range are tested for, one by one. */
function filtersOf({ agentType, wire, state, text }: RunListQuery): SqlCondition[] {
  const filters: SqlCondition[] = [];
  if (agentType !== undefined) filters.push({ sql: 'r.agent_type = ?', values: [agentType] });
  if (wire !== undefined) filters.push({ sql: 'r.wire = ?', values: [wire] });
  if (state !== undefined) filters.push({ sql: 'r.status = ?', values: [state] });
  if (text !== undefined) {
    const pattern = `%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
    const sql = `(LOWER(r.input_text) LIKE ? ESCAPE '\\' OR r.id = ? OR r.session_id = ?)`;
    filters.push({ sql, values: [pattern, text, text] });
  }
  return filters;
}

/** The first words of the input of a run. Only within `ContentSeals.reading`. @throws UnreadableContent */
function inputTextOf(content: ContentSeals, row: InputRow): string | null {
  if (row.input_sealed === null) return row.input_text;
  return content.json(row.tenant_id, runPlace('input_sealed', row.session_no, row.ordinal), row.input_sealed);
}

function summaryOf(row: SummaryRow, inputText: string | null, turn: RunTurn): RunSummary {
  return {
    tenantId: row.tenant_id,
    runId: row.id,
    sessionId: row.session_id,
    userId: row.user_id,
    agentType: row.agent_type,
    wire: row.wire,
    state: row.status,
    queuePosition: row.queued_before === null ? null : Number(row.queued_before) + 1,
    attempt: row.attempt,
    model: row.model,
    answeredBy: row.answered_by,
    inputText,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    error: row.error === null ? null : (JSON.parse(row.error) as ErrorModel),
    usage: row.usage === null ? null : (JSON.parse(row.usage) as Usage),
    turn,
  };
}

function cursorOf([value, no]: Position): string {
  return Buffer.from(`${value}.${no}`).toString('base64url');
}

/** @throws AppError INVALID_PARAMETER */
function positionOf(cursor: string): [number, number] {
  const match = /^(\d{1,16})\.(\d{1,10})$/.exec(Buffer.from(cursor, 'base64url').toString());
  if (!match) throw new AppError('INVALID_PARAMETER', 'Unknown cursor');
  return [Number(match[1]), Number(match[2])];
}
