import { randomBytes, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/index.js';
import { auditPlace, type Queryable, queryable, RequestDatabase, type Transaction } from '../../database/index.js';
import { payloadHash } from '../audit-line.js';
import type { AuditContent } from '../audit-act.js';
import { AuditLog, type NewLine } from '../ports/audit-log.js';
import { INSERT_LINE, lineValues } from './line-row.js';

const PENDING = 'INSERT INTO audit_pending (line_no, tenant_id) VALUES (?, ?)';
const CONTENT = 'INSERT INTO audit_payloads (line_no, tenant_id, user_id, salt, content) VALUES (?, ?, ?, ?, ?)';
const KNOWN = `
  SELECT pseudonym FROM user_pseudonyms WHERE tenant_id = ? AND user_id = ? ORDER BY created_at, pseudonym LIMIT 1`;
const NAME = 'INSERT INTO user_pseudonyms (pseudonym, tenant_id, user_id, created_at) VALUES (?, ?, ?, ?)';
const MARK = 'INSERT INTO used_tickets (id, tenant_id, expires_at) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING';
const ERASE_CONTENTS = 'DELETE FROM audit_payloads WHERE tenant_id = ? AND user_id = ?';
const ERASE_NAMES = 'DELETE FROM user_pseudonyms WHERE tenant_id = ? AND user_id = ?';
const SALT_BYTES = 32;

/** Lines of the audit trail in the ledger. */
@Injectable()
export class SqlAuditLog extends AuditLog {
  constructor(private readonly database: RequestDatabase) {
    super();
  }

  async append(tx: Transaction, given: NewLine, content: AuditContent | undefined): Promise<void> {
    const sql = queryable(tx);
    const { tenantId, isActorUser, ...line } = given;
    const names = new Map<string, string>();
    const pseudonym = async (userId: string): Promise<string> => {
      const known = names.get(userId) ?? (await pseudonymOf(sql, tenantId, userId, line.at));
      names.set(userId, known);
      return known;
    };
    const text = content && JSON.stringify(content.value);
    const salt = text === undefined ? '' : randomBytes(SALT_BYTES).toString('hex');
    const written = {
      ...line,
      actorId: isActorUser ? await pseudonym(line.actorId) : line.actorId,
      onBehalfOf: line.onBehalfOf === null ? null : await pseudonym(line.onBehalfOf),
      subjectId:
        line.subjectKind === 'user' && line.subjectId !== null ? await pseudonym(line.subjectId) : line.subjectId,
      payloadHash: text === undefined ? null : payloadHash(salt, text),
    };
    const [row] = await sql.all<{ no: number }>(INSERT_LINE, lineValues(tenantId, written));
    if (!row) throw new Error('The line of the audit trail was not written');
    sql.send(PENDING, [row.no, tenantId]);
    if (!content || text === undefined) return;
    const seal = await this.database.content.of(tenantId, sql);
    sql.send(CONTENT, [row.no, tenantId, content.userId, salt, seal.json(auditPlace(row.no), text)]);
  }

  async eraseUser(
    tx: Transaction,
    { tenantId, userId }: Principal,
  ): Promise<{ readonly contents: number; readonly pseudonyms: number }> {
    const sql = queryable(tx);
    return {
      contents: await sql.run(ERASE_CONTENTS, [tenantId, userId]),
      pseudonyms: await sql.run(ERASE_NAMES, [tenantId, userId]),
    };
  }

  async isFirst(
    tx: Transaction,
    { id, tenantId, expiresAt }: { readonly id: string; readonly tenantId: string; readonly expiresAt: number },
  ): Promise<boolean> {
    return (await queryable(tx).run(MARK, [id, tenantId, expiresAt])) === 1;
  }
}

/** Without a lock: of two transactions that need the first one at the same time, each makes one. */
async function pseudonymOf(sql: Queryable, tenantId: string, userId: string, now: number): Promise<string> {
  const [known] = await sql.all<{ pseudonym: string }>(KNOWN, [tenantId, userId]);
  if (known) return known.pseudonym;
  const pseudonym = `usr_${randomUUID()}`;
  await sql.run(NAME, [pseudonym, tenantId, userId, now]);
  return pseudonym;
}
