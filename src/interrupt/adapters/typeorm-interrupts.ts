import { Injectable } from '@nestjs/common';
import { AppError, Clock, type Reach } from '../../common/index.js';
import { Database, reachCondition, type SqlValue } from '../../database/index.js';
import type { InterruptView } from '../interrupt.types.js';
import { type InterruptListOptions, type InterruptPage, Interrupts, isInterruptId } from '../ports/interrupts.js';
import { INTERRUPT_COLUMNS, type InterruptRow, interruptView } from './interrupt-row.js';

const CURSOR = /^[1-9]\d{0,9}$/;

/** Reads interrupts of the ledger. */
@Injectable()
export class TypeOrmInterrupts extends Interrupts {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    super();
  }

  async find(reach: Reach, id: string): Promise<InterruptView | undefined> {
    if (!isInterruptId(id)) return undefined;
    const [view] = await this.select(reach, [['id = ?', id]], 'no', 1);
    return view;
  }

  async list(reach: Reach, options: InterruptListOptions): Promise<InterruptPage> {
    const { limit, cursor } = options;
    const conditions = this.conditions(options);
    if (cursor !== undefined) {
      if (!CURSOR.test(cursor)) throw new AppError('INVALID_PARAMETER', 'Unknown cursor');
      conditions.push(['no < ?', Number(cursor)]);
    }
    const rows = await this.rows(reach, conditions, 'no DESC', limit + 1);
    const items = rows.slice(0, limit).map((row) => interruptView(row, this.clock.now()));
    const last = rows[limit - 1];
    return rows.length > limit && last ? { items, nextCursor: String(last.no) } : { items };
  }

  pending(reach: Reach, sessionId: string): Promise<readonly InterruptView[]> {
    return this.select(reach, this.conditions({ status: 'pending', sessionId }), 'no', 1000);
  }

  private conditions(options: Omit<InterruptListOptions, 'limit'>): [string, ...SqlValue[]][] {
    const { status, kind, sessionId, runId } = options;
    const conditions: [string, ...SqlValue[]][] = [];
    const now = this.clock.now();
    if (status === 'pending') conditions.push([`status = 'pending' AND (expires_at IS NULL OR expires_at > ?)`, now]);
    else if (status === 'expired') {
      conditions.push([`(status = 'expired' OR (status = 'pending' AND expires_at <= ?))`, now]);
    } else if (status !== undefined) conditions.push(['status = ?', status]);
    if (kind !== undefined) conditions.push(['kind = ?', kind]);
    if (sessionId !== undefined) conditions.push(['session_id = ?', sessionId]);
    if (runId !== undefined) conditions.push(['run_id = ?', runId]);
    return conditions;
  }

  private async select(
    reach: Reach,
    conditions: readonly [string, ...SqlValue[]][],
    order: string,
    limit: number,
  ): Promise<readonly InterruptView[]> {
    const rows = await this.rows(reach, conditions, order, limit);
    return rows.map((row) => interruptView(row, this.clock.now()));
  }

  private rows(
    reach: Reach,
    conditions: readonly [string, ...SqlValue[]][],
    order: string,
    limit: number,
  ): Promise<InterruptRow[]> {
    const owner = reachCondition(reach);
    const all: [string, ...SqlValue[]][] = [[owner.sql, ...owner.values], ...conditions];
    const where = all.map(([text]) => text).join(' AND ');
    const values = all.flatMap(([, ...rest]) => rest);
    const sql = `SELECT ${INTERRUPT_COLUMNS} FROM interrupts WHERE ${where} ORDER BY ${order} LIMIT ?`;
    return this.database.read.all<InterruptRow>(sql, [...values, limit]);
  }
}
