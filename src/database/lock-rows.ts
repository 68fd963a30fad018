import type { Queryable, SqlValue } from './queryable.js';

/**
 * Locks rows until the transaction is over, so that its entity manager may read and change them. SQLite has one writer,
 * who has all rows.
 *
 * @param from what follows SELECT … FROM, such as `tenants WHERE id = ?`
 * @param options.key the column that is returned
 * @param options.skipLocked true: leaves out what others have locked, instead of waiting
 * @returns the keys of the rows
 */
export async function lockRows<Key extends SqlValue>(
  tx: Queryable,
  from: string,
  parameters: readonly SqlValue[],
  { key, skipLocked = false }: { readonly key: string; readonly skipLocked?: boolean },
): Promise<readonly Key[]> {
  const lock = tx.dialect === 'postgres' ? ` FOR UPDATE${skipLocked ? ' SKIP LOCKED' : ''}` : '';
  const rows = await tx.all<{ key: Key }>(`SELECT ${key} AS key FROM ${from}${lock}`, parameters);
  return rows.map((row) => row.key);
}
