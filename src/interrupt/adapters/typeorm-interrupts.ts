import { Injectable } from '@nestjs/common';
import { AppError, Clock } from '../../common/index.js';
import { Database, type SqlValue } from '../../database/index.js';
import type { InterruptView } from '../interrupt.types.js';
import {
  type InterruptListOptions,
  type InterruptPage,
  Interrupts,
  type InterruptScope,
  isInterruptId,
} from '../ports/interrupts.js';
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

  async find(scope: InterruptScope, id: string): Promise<InterruptView | undefined> {
    if (!isInterruptId(id)) return undefined;
    const [view] = await this.select(scope, [['id = ?', id]], 'no', 1);
    return view;
  }

  async list(scope: InterruptScope, options: InterruptListOptions): Promise<InterruptPage> {
    const { limit, cursor } = options;
    const conditions = this.conditions(options);
    if (cursor !== undefined) {
      if (!CURSOR.test(cursor)) throw new AppError('INVALID_PARAMETER', 'Unknown cursor');
      conditions.push(['no < ?', Number(cursor)]);
    }
    const rows = await this.rows(scope, conditions, 'no DESC', limit + 1);
    const items = rows.slice(0, limit).map((row) => interruptView(row, this.clock.now()));
    const last = rows[limit - 1];
    return rows.length > limit && last ? { items, nextCursor: String(last.no) } : { items };
  }

  pending(scope: InterruptScope, sessionId: string): Promise<readonly InterruptView[]> {
    return this.select(scope, this.conditions({ status: 'pending', sessionId }), 'no', 1000);
  }

  private conditions(options: Omit<InterruptListOptions, 'limit'>): [string, ...SqlValue[]][] {
    const { status, kind, sessionId } = options;
    const conditions: [string, ...SqlValue[]][] = [];
    const now = this.clock.now();
    if (status === 'pending') conditions.push([`status = 'pending' AND (expires_at IS NULL OR expires_at > ?)`, now]);
    else if (status === 'expired') {
      conditions.push([`(status = 'expired' OR (status = 'pending' AND expires_at <= ?))`, now]);
    } else if (status !== undefined) conditions.push(['status = ?', status]);
    if (kind !== undefined) conditions.push(['kind = ?', kind]);
    if (sessionId !== undefined) conditions.push(['session_id = ?', sessionId]);
    return conditions;
  }

  private async select(
    scope: InterruptScope,
    conditions: readonly [string, ...SqlValue[]][],
    order: string,
    limit: number,
  ): Promise<readonly InterruptView[]> {
    const rows = await this.rows(scope, conditions, order, limit);
    return rows.map((row) => interruptView(row, this.clock.now()));
  }

  private rows(
    { tenantId, userId }: InterruptScope,
    conditions: readonly [string, ...SqlValue[]][],
    order: string,
    limit: number,
  ): Promise<InterruptRow[]> {
    const all: [string, ...SqlValue[]][] = [['tenant_id = ?', tenantId], ...conditions];
    if (userId !== undefined) all.push(['user_id = ?', userId]);
    const where = all.map(([text]) => text).join(' AND ');
    const values = all.flatMap(([, ...rest]) => rest);
    const sql = `SELECT ${INTERRUPT_COLUMNS} FROM interrupts WHERE ${where} ORDER BY ${order} LIMIT ?`;
    return this.database.read.all<InterruptRow>(sql, [...values, limit]);
  }
}
