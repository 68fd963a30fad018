import { Injectable } from '@nestjs/common';
import type { JsonObject } from '../../common/index.js';
import { Database, type Queryable, queryable, type Transaction } from '../../database/index.js';
import { type Tenant, type TenantStatus, TenantStore } from '../ports/tenant-store.js';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly settings: string;
  readonly created_at: number;
  readonly updated_at: number;
}

const INSERT = `
  INSERT INTO tenants (id, name, status, settings, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO NOTHING`;
const FIND = 'SELECT * FROM tenants WHERE id = ?';
const UPDATE = 'UPDATE tenants SET name = ?, status = ?, settings = ?, updated_at = ? WHERE id = ?';
const CHANGE_ID = 'UPDATE tenants SET id = ?, updated_at = ? WHERE id = ?';
const UNFINISHED = `SELECT 1 AS yes FROM runs WHERE tenant_id = ? AND status IN ('queued', 'running') LIMIT 1`;

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

/** The audit log rejects changes: triggers of this table. */
const APPEND_ONLY = 'audit_entries';
const TRIGGERS = `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?`;

/** Tenants in the server's database. */
@Injectable()
export class TypeOrmTenantStore extends TenantStore {
  constructor(private readonly database: Database) {
    super();
  }

  async insert(tx: Transaction, { id, name, status, settings, createdAt, updatedAt }: Tenant): Promise<boolean> {
    const values = [id, name, status, JSON.stringify(settings), createdAt, updatedAt];
    return (await queryable(tx).run(INSERT, values)) === 1;
  }

  async find(id: string): Promise<Tenant | undefined> {
    const [row] = await this.database.read.all<Row>(FIND, [id]);
    return row && tenantOf(row);
  }

  async findForUpdate(tx: Transaction, id: string): Promise<Tenant | undefined> {
    const lock = queryable(tx).dialect === 'postgres' ? ' FOR UPDATE' : '';
    const [row] = await queryable(tx).all<Row>(`${FIND}${lock}`, [id]);
    return row && tenantOf(row);
  }

  async list(): Promise<readonly Tenant[]> {
    const rows = await this.database.read.all<Row>('SELECT * FROM tenants');
    return rows.map(tenantOf).sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  async update(tx: Transaction, { id, name, status, settings, updatedAt }: Tenant): Promise<void> {
    await queryable(tx).run(UPDATE, [name, status, JSON.stringify(settings), updatedAt, id]);
  }

  async hasUnfinishedRuns(tx: Transaction, id: string): Promise<boolean> {
    return (await queryable(tx).all(UNFINISHED, [id])).length > 0;
  }

  async changeId(tx: Transaction, from: string, to: string, now: number): Promise<number> {
    const connection = queryable(tx);
    await connection.run(CHANGE_ID, [to, now, from]);
    let changed = 0;
    for (const { name } of await connection.all<{ name: string }>(TABLES[connection.dialect])) {
      const change = (): Promise<number> =>
        connection.run(`UPDATE "${name}" SET tenant_id = ? WHERE tenant_id = ?`, [to, from]);
      changed += name === APPEND_ONLY ? await withoutTriggers(connection, name, change) : await change();
    }
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

function tenantOf(row: Row): Tenant {
  return {
    id: row.id,
    name: row.name,
    status: row.status as TenantStatus,
    settings: JSON.parse(row.settings) as JsonObject,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
