import { Injectable } from '@nestjs/common';
import { auditPlace, readable, RequestDatabase, type SqlValue } from '../../database/index.js';
import { AuditReports, type LineQuery, type ListedRow } from '../ports/audit-reports.js';
import { LINE_COLUMNS, type LineRow, storedLine } from './line-row.js';

type Row = LineRow & {
  readonly seq: number | null;
  readonly hash: string | null;
  readonly salt: string | null;
  readonly content: string | null;
};

const NAMED = 'SELECT pseudonym FROM user_pseudonyms WHERE tenant_id = ? AND user_id = ?';

/** Lines of the audit trail for people. */
@Injectable()
export class SqlAuditReports extends AuditReports {
  constructor(private readonly database: RequestDatabase) {
    super();
  }

  async list(tenantId: string, query: LineQuery): Promise<readonly ListedRow[]> {
    const { action, actor, subject, runId, from, to, after, limit } = query;
    const conditions = ['l.tenant_id = ?'];
    const values: SqlValue[] = [tenantId];
    const where = (sql: string, ...given: SqlValue[]): void => {
      conditions.push(sql);
      values.push(...given);
    };
    if (action !== undefined) where('l.action = ?', action);
    if (actor !== undefined)
      where(
        `(l.actor_id = ? OR l.actor_account = ? OR l.on_behalf_of = ? OR l.actor_id IN (${NAMED}) OR l.on_behalf_of IN (${NAMED}))`,
        ...[actor, actor, actor, tenantId, actor, tenantId, actor],
      );
    if (subject !== undefined)
      where(`(l.subject_id = ? OR l.subject_id IN (${NAMED}))`, ...[subject, tenantId, subject]);
    if (runId !== undefined) where('l.run_id = ?', runId);
    if (from !== undefined) where('l.at >= ?', from);
    if (to !== undefined) where('l.at < ?', to);
    if (after) where('(l.at < ? OR (l.at = ? AND l.no < ?))', after.at, after.at, after.no);
    const sql = `
      SELECT ${LINE_COLUMNS}, s.seq AS seq, s.hash AS hash, p.salt AS salt, p.content AS content FROM audit_lines l
      LEFT JOIN audit_seals s ON s.line_no = l.no LEFT JOIN audit_payloads p ON p.line_no = l.no
      WHERE ${conditions.join(' AND ')} ORDER BY l.at DESC, l.no DESC LIMIT ?`;
    const rows = await this.database.read.all<Row>(sql, [...values, limit]);
    const { content: seals } = this.database;
    const listed = (row: Row, content: ListedRow['content']): ListedRow => {
      return { line: storedLine(row), seq: row.seq, hash: row.hash, content };
    };
    const opened = (row: Row): ListedRow => {
      const text = seals.json(tenantId, auditPlace(Number(row['no'])), row.content);
      return listed(row, text === null ? null : { salt: row.salt ?? '', text });
    };
    return readable(seals, rows, opened, (row) => listed(row, 'unreadable'));
  }

  async users(tenantId: string, pseudonyms: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (pseudonyms.length === 0) return new Map();
    const sql = `SELECT pseudonym, user_id FROM user_pseudonyms
      WHERE tenant_id = ? AND pseudonym IN (${pseudonyms.map(() => '?').join(', ')})`;
    const rows = await this.database.read.all<{ pseudonym: string; user_id: string }>(sql, [tenantId, ...pseudonyms]);
    return new Map(rows.map(({ pseudonym, user_id }) => [pseudonym, user_id]));
  }
}
