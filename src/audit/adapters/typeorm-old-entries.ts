import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { AuditEntryEntity, lockRows, queryable, RequestDatabase, type Transaction } from '../../database/index.js';
import { type OldEntry, OldEntries } from '../ports/old-entries.js';

/** The table `audit_entries`. */
@Injectable()
export class TypeOrmOldEntries extends OldEntries {
  constructor(private readonly database: RequestDatabase) {
    super();
  }

  async exist(): Promise<boolean> {
    return (await this.database.read.all('SELECT 1 AS yes FROM audit_entries LIMIT 1')).length > 0;
  }

  async take(tx: Transaction, limit: number): Promise<readonly OldEntry[]> {
    const sql = queryable(tx);
    const { manager } = sql;
    const numbers = await lockRows<number>(sql, 'audit_entries ORDER BY no LIMIT ?', [limit], { key: 'no' });
    if (numbers.length === 0) return [];
    const rows = await manager.find(AuditEntryEntity, { where: { no: In([...numbers]) }, order: { no: 'ASC' } });
    await manager.delete(AuditEntryEntity, { no: In([...numbers]) });
    return rows.map(({ createdAt, ...row }) => ({ ...row, createdAt: Number(createdAt) }));
  }
}
