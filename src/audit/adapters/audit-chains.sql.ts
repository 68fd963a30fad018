import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  auditPlace,
  queryable,
  readable,
  RequestDatabase,
  type SqlValue,
  type Transaction,
} from '../../database/index.js';
import { beginningOf, type StoredLine } from '../audit-line.js';
import { AuditChains, type NewSeal, type SealedRow, type StoredChain } from '../ports/audit-chains.js';
import { INSERT_LINE, LINE_COLUMNS, type LineRow, lineValues, storedLine } from './line-row.js';

/** A line that claims a removal is sealed by whoever removes, in the same transaction: one that waits is forged. */
const MAY_BE_SEALED = `action <> 'audit.pruned'`;

const WAITING = `
  SELECT DISTINCT p.tenant_id FROM audit_pending p JOIN audit_lines l ON l.no = p.line_no WHERE l.${MAY_BE_SEALED}`;
const IS_WAITING = `
  SELECT 1 AS yes FROM audit_pending p JOIN audit_lines l ON l.no = p.line_no WHERE l.${MAY_BE_SEALED} LIMIT 1`;
const OLDEST = `
  SELECT MIN(l.at) AS at FROM audit_pending p JOIN audit_lines l ON l.no = p.line_no WHERE l.${MAY_BE_SEALED}`;
const CHAINS = 'SELECT id, tenant_id, seq, hash, pruned_seq, pruned_hash FROM audit_chains';
const CREATE = `
  INSERT INTO audit_chains (id, tenant_id, seq, hash, pruned_seq, pruned_hash, created_at) VALUES (?, ?, 0, ?, 0, NULL, ?)
  ON CONFLICT (tenant_id) DO NOTHING`;
const PENDING = `
  SELECT ${LINE_COLUMNS} FROM audit_pending p JOIN audit_lines l ON l.no = p.line_no
  WHERE p.tenant_id = ? AND l.${MAY_BE_SEALED} ORDER BY p.line_no LIMIT ?`;
const ADVANCE = 'UPDATE audit_chains SET seq = ?, hash = ? WHERE id = ?';
const SEALED = `s.seq AS seal_seq, s.hash AS seal_hash, s.kid AS seal_kid, ${LINE_COLUMNS}`;
const SEALED_LINES = 'audit_seals s LEFT JOIN audit_lines l ON l.no = s.line_no AND l.tenant_id = ?';
const AFTER = 'WHERE s.chain_id = ? AND s.seq > ? ORDER BY s.seq LIMIT ?';
const PAGE = `
  SELECT ${SEALED}, p.salt AS salt, p.content AS content
  FROM ${SEALED_LINES} LEFT JOIN audit_payloads p ON p.line_no = s.line_no ${AFTER}`;
const LINES = `SELECT ${SEALED} FROM ${SEALED_LINES} ${AFTER}`;
const UNSEALED = `
  SELECT COUNT(*) AS n FROM audit_lines l WHERE l.tenant_id = ?
  AND NOT EXISTS (SELECT 1 FROM audit_seals s WHERE s.line_no = l.no)`;
const BEGINNING = `
  SELECT s.seq AS seq, s.hash AS hash, l.at AS at FROM audit_seals s LEFT JOIN audit_lines l ON l.no = s.line_no
  WHERE s.chain_id = ? AND s.seq > ? ORDER BY s.seq LIMIT ?`;
const PRUNED = 'UPDATE audit_chains SET pruned_seq = ?, pruned_hash = ? WHERE id = ?';
const LINES_THROUGH = 'SELECT line_no FROM audit_seals WHERE chain_id = ? AND seq <= ?';

interface ChainRow {
  readonly id: string;
  readonly tenant_id: string;
  readonly seq: number;
  readonly hash: string;
  readonly pruned_seq: number;
  readonly pruned_hash: string | null;
}

type SealRow = LineRow & {
  readonly seal_seq: number;
  readonly seal_hash: string;
  readonly seal_kid: string;
};

type PageRow = SealRow & {
  readonly salt: string | null;
  readonly content: string | null;
};

/** Seals in the ledger. */
@Injectable()
export class SqlAuditChains extends AuditChains {
  constructor(private readonly database: RequestDatabase) {
    super();
  }

  async waiting(): Promise<readonly string[]> {
    return (await this.database.read.all<{ tenant_id: string }>(WAITING)).map(({ tenant_id }) => tenant_id);
  }

  async isAnyWaiting(withinMs: number): Promise<boolean> {
    return (await this.database.looks.soon(IS_WAITING, [], withinMs)).length > 0;
  }

  async oldestWaiting(): Promise<number | undefined> {
    const [row] = await this.database.read.all<{ at: number | string | null }>(OLDEST);
    const at = row?.at ?? null;
    return at === null ? undefined : Number(at);
  }

  async list(): Promise<readonly StoredChain[]> {
    return (await this.database.read.all<ChainRow>(`${CHAINS} ORDER BY tenant_id`)).map(chainOf);
  }

  async ofTenant(tenantId: string): Promise<StoredChain | undefined> {
    const [row] = await this.database.read.all<ChainRow>(`${CHAINS} WHERE tenant_id = ?`, [tenantId]);
    return row && chainOf(row);
  }

  async lock(tx: Transaction, tenantId: string, now: number): Promise<StoredChain> {
    const sql = queryable(tx);
    const find = `${CHAINS} WHERE tenant_id = ?${sql.dialect === 'postgres' ? ' FOR UPDATE' : ''}`;
    const [known] = await sql.all<ChainRow>(find, [tenantId]);
    if (known) return chainOf(known);
    const id = randomUUID();
    await sql.run(CREATE, [id, tenantId, beginningOf(id), now]);
    const [made] = await sql.all<ChainRow>(find, [tenantId]);
    if (!made) throw new Error('The chain of the audit trail was not made');
    return chainOf(made);
  }

  async pending(tx: Transaction, tenantId: string, limit: number): Promise<readonly StoredLine[]> {
    return (await queryable(tx).all<LineRow>(PENDING, [tenantId, limit])).map(storedLine);
  }

  async seal(tx: Transaction, chain: StoredChain, seals: readonly NewSeal[]): Promise<void> {
    const last = seals.at(-1);
    if (!last) return;
    const sql = queryable(tx);
    const values = seals.flatMap(({ seq, no, hash, kid }): SqlValue[] => [chain.id, seq, no, hash, kid]);
    const rows = seals.map(() => '(?, ?, ?, ?, ?)').join(', ');
    await sql.run(`INSERT INTO audit_seals (chain_id, seq, line_no, hash, kid) VALUES ${rows}`, values);
    const numbers = seals.map(({ no }) => no);
    await sql.run(`DELETE FROM audit_pending WHERE line_no IN (${numbers.map(() => '?').join(', ')})`, numbers);
    await sql.run(ADVANCE, [last.seq, last.hash, chain.id]);
  }

  async page({ id, tenantId }: StoredChain, afterSeq: number, limit: number): Promise<readonly SealedRow[]> {
    const rows = await this.database.read.all<PageRow>(PAGE, [tenantId, id, afterSeq, limit]);
    const { content } = this.database;
    const opened = (row: PageRow): SealedRow => {
      const found = sealedRow(row);
      const { line } = found;
      const erased = (line?.payloadHash ?? null) === null ? undefined : null;
      const text = line ? content.json(tenantId, auditPlace(line.no), row.content) : row.content;
      return { ...found, content: text === null || row.salt === null ? erased : { salt: row.salt, text } };
    };
    return readable(content, rows, opened, (row) => ({ ...sealedRow(row), content: 'unreadable' }));
  }

  async lines({ id, tenantId }: StoredChain, afterSeq: number, limit: number): Promise<readonly SealedRow[]> {
    return (await this.database.read.all<SealRow>(LINES, [tenantId, id, afterSeq, limit])).map(sealedRow);
  }

  async countUnsealed(tenantId: string): Promise<number> {
    const [row] = await this.database.read.all<{ n: number | string }>(UNSEALED, [tenantId]);
    return Number(row?.n ?? 0);
  }

  async oldBeginning(
    tx: Transaction,
    { id, pruned }: StoredChain,
    before: number,
    limit: number,
  ): Promise<{ readonly seq: number; readonly hash: string } | undefined> {
    type Row = { readonly seq: number; readonly hash: string; readonly at: number | string | null };
    const rows = await queryable(tx).all<Row>(BEGINNING, [id, pruned?.seq ?? 0, limit]);
    const young = rows.findIndex(({ at }) => at === null || Number(at) >= before);
    const last = young < 0 ? rows.at(-1) : rows[young - 1];
    return last && { seq: last.seq, hash: last.hash };
  }

  async addSealed(tx: Transaction, tenantId: string, line: Omit<StoredLine, 'no'>): Promise<number> {
    const [row] = await queryable(tx).all<{ no: number }>(INSERT_LINE, lineValues(tenantId, line));
    if (!row) throw new Error('The line of the audit trail was not written');
    return row.no;
  }

  async removeBeginning(
    tx: Transaction,
    { id }: StoredChain,
    { seq, hash }: { readonly seq: number; readonly hash: string },
  ): Promise<void> {
    const sql = queryable(tx);
    await sql.run(PRUNED, [seq, hash, id]);
    await sql.run(`DELETE FROM audit_payloads WHERE line_no IN (${LINES_THROUGH})`, [id, seq]);
    await sql.run(`DELETE FROM audit_lines WHERE no IN (${LINES_THROUGH})`, [id, seq]);
    await sql.run('DELETE FROM audit_seals WHERE chain_id = ? AND seq <= ?', [id, seq]);
  }
}

/** Without its content. */
function sealedRow(row: SealRow): SealedRow {
  const line = row['no'] === null ? undefined : storedLine(row);
  return { seq: row.seal_seq, seal: { hash: row.seal_hash, kid: row.seal_kid }, line, content: undefined };
}

function chainOf(row: ChainRow): StoredChain {
  const { id, tenant_id: tenantId, seq, hash, pruned_seq: prunedSeq, pruned_hash: prunedHash } = row;
  const pruned = prunedSeq > 0 ? { seq: prunedSeq, hash: prunedHash ?? '' } : undefined;
  return { id, tenantId, seq, hash, pruned };
}
