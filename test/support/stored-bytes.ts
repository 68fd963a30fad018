import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import type { TestDatabase } from './databases.js';

/**
 * Everything that a server has stored, as one text: all files of its data folder, with the SQLite file and its log, and
 * all rows of all tables of PostgreSQL.
 */
export async function storedBytes({ env }: TestDatabase): Promise<string> {
  const parts: string[] = [];
  for (const file of await readdir(env.DATA_DIR, { recursive: true, withFileTypes: true }))
    if (file.isFile()) parts.push(await readFile(join(file.parentPath, file.name), 'latin1'));
  if (env.DATABASE_URL !== undefined) parts.push(...(await rowsOf(env.DATABASE_URL, env.DATABASE_SCHEMA ?? 'public')));
  return parts.join('\n');
}

async function rowsOf(url: string, schema: string): Promise<string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = $1`,
      [schema],
    );
    const parts: string[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(`SELECT t::text AS row FROM "${schema}"."${name}" t`);
      parts.push(`${name}: ${rows.map(({ row }) => row).join('\n')}`);
    }
    return parts;
  } finally {
    await client.end();
  }
}
