import { Injectable } from '@nestjs/common';
import { AppError, Clock, type Reach } from '../../../common/index.js';
import { inputTextOf, openInputText, RequestDatabase, reachCondition, type SqlValue } from '../../../database/index.js';
import type { InterruptStatus, InterruptView, ListedInterrupt } from '../interrupt.types.js';
import { type InterruptListOptions, type InterruptPage, Interrupts, isInterruptId } from '../ports/interrupts.js';
import { INTERRUPT_COLUMNS, type InterruptRow, interruptView, openedRow } from './interrupt.row.js';

const CURSOR = /^[1-9]\d{0,9}$/;
/** What the runs know of an interrupt: the one that opened it, and the one that its chain began with. */
const runColumns = (inputText: string): string => `
  (SELECT r.agent_type FROM runs r WHERE r.no = interrupts.run_no) AS agent_type,
  (SELECT ${inputText} FROM runs r WHERE r.no = interrupts.root_run_no) AS request_text`;

interface ListedRow extends InterruptRow {
  readonly agent_type: string | null;
  readonly request_text: string | null;
}

/** A condition, and its values. */
type SqlPart = readonly [string, ...SqlValue[]];

/** Reads interrupts of the ledger. */
@Injectable()
export class SqlInterrupts extends Interrupts {
  constructor(
    private readonly database: RequestDatabase,
    private readonly clock: Clock,
  ) {
    super();
  }

  async find(reach: Reach, id: string): Promise<ListedInterrupt | undefined> {
    if (!isInterruptId(id)) return undefined;
    const [row] = await this.rows(reach, [['id = ?', id]], 'no', 1);
    return row && this.listed(row);
  }

  async list(reach: Reach, options: InterruptListOptions): Promise<InterruptPage> {
    const { limit, cursor, statuses } = options;
    const conditions = conditionsOf(options);
    if (cursor !== undefined) {
      if (!CURSOR.test(cursor)) throw new AppError('INVALID_PARAMETER', 'Unknown cursor');
      conditions.push(['no < ?', Number(cursor)]);
    }
    // One statement for each status: each reads the newest rows of one range of an index.
    const ranges = statuses?.map((status) => [this.statusIs(status), ...conditions]) ?? [conditions];
    const found = await Promise.all(ranges.map((range) => this.rows(reach, range, 'no DESC', limit + 1)));
    const rows = found.flat().sort((one, other) => other.no - one.no);
    const items = rows.slice(0, limit).map((row) => this.listed(row));
    const last = rows[limit - 1];
    return rows.length > limit && last ? { items, nextCursor: String(last.no) } : { items };
  }

  async pending(reach: Reach, sessionId: string): Promise<readonly InterruptView[]> {
    const rows = await this.rows(reach, [this.statusIs('pending'), ...conditionsOf({ sessionId })], 'no', 1000);
    return rows.map((row) => this.listed(row));
  }

  private statusIs(status: InterruptStatus): SqlPart {
    const now = this.clock.now();
    if (status === 'pending') return [`status = 'pending' AND (expires_at IS NULL OR expires_at > ?)`, now];
    if (status !== 'expired') return ['status = ?', status];
    return [`(status = 'expired' OR (status = 'pending' AND expires_at <= ?))`, now];
  }

  private listed(row: ListedRow): ListedInterrupt {
    const { agent_type: agentType, request_text: requestText } = row;
    return { ...interruptView(row, this.clock.now()), agentType, requestText };
  }

  private async rows(
    reach: Reach,
    conditions: readonly SqlPart[],
    order: string,
    limit: number,
  ): Promise<readonly ListedRow[]> {
    const { content } = this.database;
    const owner = reachCondition(reach);
    const all: SqlPart[] = [[owner.sql, ...owner.values], ...conditions];
    const where = all.map(([text]) => text).join(' AND ');
    const values = all.flatMap(([, ...rest]) => rest);
    const sql = `SELECT ${INTERRUPT_COLUMNS}, ${runColumns(inputTextOf(content, 'r'))} FROM interrupts WHERE ${where} ORDER BY ${order} LIMIT ?`;
    const rows = await this.database.read.all<ListedRow>(sql, [...values, limit]);
    return content.reading(() =>
      rows.map((row) => {
        const request_text = openInputText(content, row.tenant_id, row.request_text);
        return { ...openedRow(row, content), request_text };
      }),
    );
  }
}

function conditionsOf({ kind, sessionId, runId }: Omit<InterruptListOptions, 'limit'>): SqlPart[] {
  const conditions: SqlPart[] = [];
  if (kind !== undefined) conditions.push(['kind = ?', kind]);
  if (sessionId !== undefined) conditions.push(['session_id = ?', sessionId]);
  if (runId !== undefined) conditions.push(['run_id = ?', runId]);
  return conditions;
}
