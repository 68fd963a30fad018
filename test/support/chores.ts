import type { Database } from '../../src/database/index.js';

/** Later than any test. */
const NEVER = Number.MAX_SAFE_INTEGER;

/** No server on the database works on the chore, now or after a start. */
export async function preventChore(database: Database, name: string): Promise<void> {
  await setDue(database, name, NEVER);
}

/** The chore is due at once, even if a server has just worked on it. */
export async function makeChoreDue(database: Database, name: string): Promise<void> {
  await setDue(database, name, 0);
}

async function setDue(database: Database, name: string, at: number): Promise<void> {
  const sql =
    'INSERT INTO chores (name, due_at, fence) VALUES (?, ?, 0) ON CONFLICT (name) DO UPDATE SET due_at = excluded.due_at';
  await database.write((tx) => tx.run(sql, [name, at]));
}
