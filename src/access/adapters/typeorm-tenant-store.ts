import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { isStorable, type JsonObject } from '../../common/index.js';
import {
  lockedOn,
  type Queryable,
  queryable,
  RequestDatabase,
  RunEntity,
  TenantEntity,
  type Transaction,
} from '../../database/index.js';
import { type Tenant, type TenantStatus, TenantStore } from '../ports/tenant-store.js';

/** TypeORM's insert does not tell whether it did anything on conflict. */
const INSERT = `
  INSERT INTO tenants (id, name, status, settings, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO NOTHING`;

/** Every table that carries the tenant, also those of modules that this process does not load. */
const TABLES = {
  sqlite: `
    SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c ON c.name = 'tenant_id'
    WHERE m.type = 'table' ORDER BY m.name`,
  postgres: `
    SELECT c.table_name AS name FROM information_schema.columns c
    JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
    WHERE c.table_schema = current_schema() AND c.column_name = 'tenant_id' AND t.table_type = 'BASE TABLE'
    ORDER BY c.table_name`,
};

/** The audit trail rejects changes: triggers of these tables. */
const APPEND_ONLY: ReadonlySet<string> = new Set(['audit_entries', 'audit_lines']);
const TRIGGERS = `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?`;

/** Tenants in the server's database. */
@Injectable()
export class TypeOrmTenantStore extends TenantStore {
  constructor(private readonly database: RequestDatabase) {
    super();
  }

  async insert(tx: Transaction, { id, name, status, settings, createdAt, updatedAt }: Tenant): Promise<boolean> {
    const values = [id, name, status, JSON.stringify(settings), createdAt, updatedAt];
    if ((await queryable(tx).run(INSERT, values)) !== 1) return false;
    // Its data key is made now, so that servers find it when they need it.
    await this.database.content.of(id, queryable(tx));
    return true;
  }

  async find(id: string): Promise<Tenant | undefined> {
    if (!isStorable(id)) return undefined;
    const tenant = await this.database.read.manager.findOneBy(TenantEntity, { id });
    return tenant ? tenantOf(tenant) : undefined;
  }

  async findForUpdate(tx: Transaction, id: string): Promise<Tenant | undefined> {
    if (!isStorable(id)) return undefined;
    const { manager, dialect } = queryable(tx);
    const tenant = await manager.findOne(TenantEntity, { where: { id }, ...lockedOn(dialect) });
    return tenant ? tenantOf(tenant) : undefined;
  }

  async list(): Promise<readonly Tenant[]> {
    const tenants = await this.database.read.manager.find(TenantEntity);
    return tenants.map(tenantOf).sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  async update(tx: Transaction, { id, name, status, settings, updatedAt }: Tenant): Promise<void> {
    const changes = { name, status, settings: JSON.stringify(settings), updatedAt };
    await queryable(tx).manager.update(TenantEntity, { id }, changes);
  }

  async hasUnfinishedRuns(tx: Transaction, tenantId: string): Promise<boolean> {
    return queryable(tx).manager.existsBy(RunEntity, { tenantId, status: In(['queued', 'running']) });
  }

  async changeId(tx: Transaction, from: string, to: string, now: number): Promise<number> {
    const connection = queryable(tx);
    await connection.manager.update(TenantEntity, { id: from }, { id: to, updatedAt: now });
    let changed = 0;
    for (const { name } of await connection.all<{ name: string }>(TABLES[connection.dialect])) {
      const change = (): Promise<number> =>
        connection.run(`UPDATE "${name}" SET tenant_id = ? WHERE tenant_id = ?`, [to, from]);
      changed += APPEND_ONLY.has(name) ? await withoutTriggers(connection, name, change) : await change();
    }
    await this.database.content.renamed(connection, from, to);
    return changed;
  }
}

/** Nobody else writes meanwhile: SQLite has one writer, and PostgreSQL locks the table until the commit. */
async function withoutTriggers<T>(connection: Queryable, table: string, work: () => Promise<T>): Promise<T> {
  if (connection.dialect === 'postgres') {
    await connection.run(`ALTER TABLE "${table}" DISABLE TRIGGER USER`);
    const value = await work();
    await connection.run(`ALTER TABLE "${table}" ENABLE TRIGGER USER`);
    return value;
  }
  const triggers = await connection.all<{ name: string; sql: string }>(TRIGGERS, [table]);
  for (const { name } of triggers) await connection.run(`DROP TRIGGER "${name}"`);
  const value = await work();
  for (const { sql } of triggers) await connection.run(sql);
  return value;
}

function tenantOf({ status, settings, ...columns }: TenantEntity): Tenant {
  return { ...columns, status: status as TenantStatus, settings: JSON.parse(settings) as JsonObject };
}
