import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../../audit/index.js';
import { AppError, Metrics, type Principal } from '../../../common/index.js';
import {
  interruptPlace,
  queryable,
  readable,
  RequestDatabase,
  type SqlValue,
  type TenantSeal,
  type Transaction,
} from '../../../database/index.js';
import type { OpenInterrupt } from '../../../events/index.js';
import { endAct, hashOfCall, noteAct, requestAct } from '../audit.js';
import { type InterruptCause, InterruptCauses } from '../ports/interrupt-causes.js';
import { likeNamed } from '../decided-by.js';
import { InterruptMetrics } from '../interrupt.metrics.js';
import type { AskedInterrupt, AuditNote, DecidedBy, InterruptStatus, Resumption } from '../interrupt.types.js';
import {
  type ValidatedAnswer,
  type InterruptRun,
  InterruptStore,
  type WaitingInterrupt,
} from '../ports/interrupt-store.js';
import {
  decidedUnder,
  INTERRUPT_COLUMNS,
  type InterruptRow,
  openedRow,
  openInterrupt,
  sealedColumns,
  settledInterrupt,
  withoutContent,
} from './interrupt.row.js';

const INSERT = `
  INSERT INTO interrupts (id, tenant_id, user_id, session_no, session_id, run_no, run_id, root_run_no, waiting_run_no,
    kind, status, call_id, input_key, tool_name, arguments, arguments_hash, server_label, reason, message,
    response_schema, may_edit, created_at, expires_at, approvers, binding)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (tenant_id, id) DO UPDATE SET waiting_run_no = excluded.waiting_run_no
  WHERE interrupts.session_no = excluded.session_no AND interrupts.status = 'pending'
  RETURNING run_no`;

/** Compare-and-set: of two answers at the same time, the second changes nothing. */
const RESOLVE = `
  UPDATE interrupts SET status = ?, decision = ?, answered_at = ?, resumed_by_run_no = ?, resumed_by_run_id = ?,
    decided_by = ?
  WHERE status = 'pending'`;

const CLOSE = `UPDATE interrupts SET status = ?, answered_at = ? WHERE status = 'pending'`;

/** Interrupts whose answer may name a user. */
const DECIDED = `SELECT no, decided_by FROM interrupts WHERE tenant_id = ? AND decided_by LIKE ? ESCAPE '\\'`;

const RETURNING = ` RETURNING ${INTERRUPT_COLUMNS}`;

/** How interrupts end, for the audit trail. */
type End = Parameters<typeof endAct>[2];

/** Interrupts in the ledger. */
@Injectable()
export class SqlInterruptStore extends InterruptStore {
  private readonly metrics: InterruptMetrics;

  constructor(
    private readonly database: RequestDatabase,
    private readonly causes: InterruptCauses,
    private readonly trail: AuditTrail,
    metrics: Metrics,
  ) {
    super();
    this.metrics = new InterruptMetrics(metrics);
  }

  async renameDecider(tx: Transaction, { tenantId, userId }: Principal, pseudonym: string): Promise<number> {
    const sql = queryable(tx);
    let renamed = 0;
    for (const { no, decided_by } of await sql.all<{ no: number; decided_by: string }>(DECIDED, [
      tenantId,
      likeNamed(userId),
    ])) {
      const by = decidedUnder(JSON.parse(decided_by) as DecidedBy, userId, pseudonym);
      if (by) renamed += await sql.run('UPDATE interrupts SET decided_by = ? WHERE no = ?', [JSON.stringify(by), no]);
    }
    return renamed;
  }

  async open(tx: Transaction, run: InterruptRun, asked: readonly AskedInterrupt[], now: number): Promise<void> {
    const seal = await this.database.content.of(run.tenantId, queryable(tx));
    for (const one of asked) {
      const [row] = await queryable(tx).all<{ run_no: number }>(INSERT, insertValues(run, one, seal, now));
      if (row?.run_no !== run.rowId) continue;
      await this.trail.write(tx, requestAct(run, one.item, now));
      await this.causes.written(tx, openedCause(run, one.item, now));
    }
  }

  async waiting(tx: Transaction, sessionRowId: number): Promise<readonly WaitingInterrupt[]> {
    const sql = `SELECT id, kind, waiting_run_no, expires_at FROM interrupts
      WHERE session_no = ? AND status IN ('pending', 'expired') AND resumed_by_run_no IS NULL ORDER BY no`;
    type Row = Pick<InterruptRow, 'id' | 'kind' | 'waiting_run_no' | 'expires_at'>;
    const rows = await queryable(tx).all<Row>(sql, [sessionRowId]);
    return rows.map((row) => ({
      id: row.id,
      kind: row.kind,
      waitingRunRowId: row.waiting_run_no,
      expiresAt: row.expires_at,
    }));
  }

  async hasAsked(tx: Transaction, runRowId: number): Promise<boolean> {
    const sql = `SELECT 1 AS yes FROM runs r JOIN interrupts i
      ON i.session_no = r.session_no AND (i.run_no = r.no OR i.waiting_run_no = r.no) WHERE r.no = ? LIMIT 1`;
    return (await queryable(tx).all(sql, [runRowId])).length > 0;
  }

  async recordAnswers(
    tx: Transaction,
    run: InterruptRun,
    answers: readonly ValidatedAnswer[],
    now: number,
  ): Promise<void> {
    const seal = await this.database.content.of(run.tenantId, queryable(tx));
    for (const { id, status, decision, decidedBy } of answers) {
      const known = await queryable(tx).all<{ status: InterruptStatus; expires_at: number | null }>(
        `SELECT status, expires_at FROM interrupts WHERE session_no = ? AND id = ?`,
        [run.sessionRowId, id],
      );
      assertAnswerable(known[0], status, now);
      const by = decidedBy && JSON.stringify(decidedBy);
      const stored = seal.json(interruptPlace('decision', run.sessionRowId, id), JSON.stringify(decision));
      const values = [status, stored, now, run.rowId, run.id, by, run.sessionRowId, id];
      const rows = await queryable(tx).all<InterruptRow>(
        `${RESOLVE} AND session_no = ? AND id = ?${RETURNING}`,
        values,
      );
      if (rows.length === 0) throw new AppError('INTERRUPT_ALREADY_ANSWERED');
      await this.writeEnds(tx, rows, { status, decision, decidedBy }, now);
    }
  }

  async cancelUnanswered(tx: Transaction, run: InterruptRun, now: number): Promise<void> {
    const values = ['cancelled', '{}', now, run.rowId, run.id, null, run.sessionRowId];
    const rows = await queryable(tx).all<InterruptRow>(`${RESOLVE} AND session_no = ?${RETURNING}`, values);
    await this.writeEnds(tx, rows, { status: 'cancelled', cause: 'new message' }, now);
  }

  async assignExpired(tx: Transaction, run: InterruptRun, now: number): Promise<void> {
    const values = ['expired', '{}', now, run.rowId, run.id, null, run.sessionRowId, now];
    const rows = await queryable(tx).all<InterruptRow>(
      `${RESOLVE} AND session_no = ? AND expires_at <= ?${RETURNING}`,
      values,
    );
    await this.writeEnds(tx, rows, { status: 'expired' }, now);
    // The chore may have marked some as expired before.
    await queryable(tx).run(
      `UPDATE interrupts SET resumed_by_run_no = ?, resumed_by_run_id = ?
       WHERE session_no = ? AND status = 'expired' AND resumed_by_run_no IS NULL`,
      [run.rowId, run.id, run.sessionRowId],
    );
  }

  async cancelForRun(tx: Transaction, runRowId: number, now: number): Promise<void> {
    const sql = `${CLOSE} AND (run_no = ? OR waiting_run_no = ?)${RETURNING}`;
    const rows = await queryable(tx).all<InterruptRow>(sql, ['cancelled', now, runRowId, runRowId]);
    await this.writeEnds(tx, rows, { status: 'cancelled', cause: 'cancel' }, now);
  }

  async cancelForSession(tx: Transaction, sessionRowId: number, now: number): Promise<readonly string[]> {
    const sql = `${CLOSE} AND session_no = ?${RETURNING}`;
    const rows = await queryable(tx).all<InterruptRow>(sql, ['cancelled', now, sessionRowId]);
    await this.writeEnds(tx, rows, { status: 'cancelled', cause: 'cancel' }, now);
    return [...new Set(rows.map((row) => row.run_id))];
  }

  async expireDue(now: number): Promise<number> {
    const due = `SELECT 1 AS yes FROM interrupts WHERE status = 'pending' AND expires_at <= ? LIMIT 1`;
    if ((await this.database.read.all(due, [now])).length === 0) return 0;
    return this.database.write(async (tx) => {
      const rows = await tx.all<InterruptRow>(`${CLOSE} AND expires_at <= ?${RETURNING}`, ['expired', now, now]);
      await this.writeEnds(tx, rows, { status: 'expired' }, now);
      return rows.length;
    });
  }

  async resumption(run: InterruptRun, base: number): Promise<Resumption> {
    const sql = `SELECT ${INTERRUPT_COLUMNS} FROM interrupts WHERE session_no = ? AND (
      (kind = 'approval' AND (status = 'pending' OR resumed_by_run_no = ? OR resumed_by_run_no > ?))
      OR (kind = 'input' AND root_run_no = ? AND status <> 'pending')) ORDER BY no`;
    const values = [run.sessionRowId, base, run.rowId, run.rootRunRowId];
    const rows = await this.opened(await this.database.read.all<InterruptRow>(sql, values));
    const approvals = rows.filter((row) => row.kind === 'approval');
    const isMine = (row: InterruptRow): boolean => row.status !== 'pending' && row.resumed_by_run_no === base;
    return {
      approvals: approvals.filter(isMine).map(settledInterrupt),
      inputs: rows.filter((row) => row.kind === 'input').map(settledInterrupt),
      waiting: approvals.filter((row) => !isMine(row)).map(openInterrupt),
    };
  }

  async audit(tx: Transaction, run: InterruptRun, notes: readonly AuditNote[], now: number): Promise<void> {
    for (const note of notes) await this.trail.write(tx, noteAct(run, note, now));
  }

  async remove(
    tx: Transaction,
    of: { readonly sessionRowId: number } | { readonly runRowId: number },
    now: number,
  ): Promise<void> {
    const [column, no] = 'sessionRowId' in of ? ['session_no', of.sessionRowId] : ['run_no', of.runRowId];
    const waits = 'sessionRowId' in of ? '' : ' OR waiting_run_no = ?';
    const values = ['cancelled', now, no, ...(waits === '' ? [] : [no])];
    const closed = await queryable(tx).all<InterruptRow>(`${CLOSE} AND (${column} = ?${waits})${RETURNING}`, values);
    await this.writeEnds(tx, closed, { status: 'cancelled', cause: 'removal' }, now);
    await queryable(tx).run(`DELETE FROM interrupts WHERE ${column} = ?`, [no]);
    if ('runRowId' in of)
      await queryable(tx).run('UPDATE interrupts SET waiting_run_no = run_no WHERE waiting_run_no = ?', [no]);
  }

  private opened(rows: readonly InterruptRow[]): readonly InterruptRow[] | Promise<readonly InterruptRow[]> {
    const { content } = this.database;
    return content.reading(() => rows.map((row) => openedRow(row, content)));
  }

  /** With their content, where it can be decrypted: they may be of all tenants. */
  private ended(rows: readonly InterruptRow[]): Promise<readonly InterruptRow[]> {
    const { content } = this.database;
    return readable(content, rows, (row) => openedRow(row, content), withoutContent);
  }

  private async writeEnds(tx: Transaction, stored: readonly InterruptRow[], end: End, now: number): Promise<void> {
    for (const row of await this.ended(stored)) {
      this.metrics.closed.with(end.status).add();
      const run = { id: row.run_id, tenantId: row.tenant_id, userId: row.user_id, sessionId: row.session_id };
      const closed = {
        id: row.id,
        kind: row.kind,
        callId: row.call_id,
        toolName: row.tool_name,
        argumentsHash: row.arguments_hash,
        resumedByRunId: row.resumed_by_run_id,
      };
      await this.trail.write(tx, endAct(run, closed, end, now));
      await this.causes.written(tx, closedCause(row, now));
    }
  }
}

function openedCause(
  run: InterruptRun,
  { id, kind, tool_name, arguments: args }: OpenInterrupt,
  at: number,
): InterruptCause {
  const { tenantId, userId, rowId: runRowId, id: runId, sessionId } = run;
  return {
    tenantId,
    userId,
    id,
    kind,
    status: 'pending',
    runRowId,
    runId,
    sessionId,
    toolName: tool_name,
    arguments: args,
    at,
  };
}

function closedCause(row: InterruptRow, at: number): InterruptCause {
  return {
    tenantId: row.tenant_id,
    userId: row.user_id,
    id: row.id,
    kind: row.kind,
    status: row.status,
    runRowId: row.run_no,
    runId: row.run_id,
    sessionId: row.session_id,
    toolName: row.tool_name,
    arguments: row.arguments,
    at,
  };
}

/** @throws AppError when the interrupt does not exist, is resolved or has expired */
function assertAnswerable(
  row: { status: InterruptStatus; expires_at: number | null } | undefined,
  answer: InterruptStatus,
  now: number,
): void {
  if (!row) throw new AppError('INTERRUPT_NOT_FOUND');
  if (row.status === 'expired') throw new AppError('INTERRUPT_EXPIRED');
  if (row.status !== 'pending') throw new AppError('INTERRUPT_ALREADY_ANSWERED');
  const isOver = row.expires_at !== null && row.expires_at <= now;
  if (isOver && answer !== 'cancelled') throw new AppError('INTERRUPT_EXPIRED');
}

function insertValues(
  run: InterruptRun,
  { item, key, approvers, binding }: AskedInterrupt,
  seal: TenantSeal,
  now: number,
): SqlValue[] {
  const content = sealedColumns(seal, run.sessionRowId, item);
  return [
    item.id,
    run.tenantId,
    run.userId,
    run.sessionRowId,
    run.sessionId,
    run.rowId,
    run.id,
    run.rootRunRowId,
    run.rowId,
    item.kind,
    item.call_id,
    key,
    item.tool_name,
    content.arguments,
    hashOfCall(item.tool_name, item.arguments),
    item.server_label,
    content.reason,
    content.message,
    content.response_schema,
    item.may_edit ? 1 : 0,
    now,
    item.expires_at,
    approvers ? JSON.stringify(approvers) : null,
    binding ? JSON.stringify(binding) : null,
  ];
}
