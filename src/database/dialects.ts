/**
 * The database's clock as an SQL expression: milliseconds since the epoch, the same in one whole statement. Leases are
 * compared with it, because the clocks of machines differ.
 */
export const DATABASE_NOW = {
  sqlite: `CAST(unixepoch('subsec') * 1000 AS INTEGER)`,
  postgres: `CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000 AS bigint)`,
} as const;

/**
 * Options of a find that locks the rows which it returns until the transaction ends; none on SQLite, where one writer
 * works at a time.
 */
export function lockedOn(dialect: 'sqlite' | 'postgres'): { readonly lock?: { readonly mode: 'pessimistic_write' } } {
  return dialect === 'postgres' ? { lock: { mode: 'pessimistic_write' } } : {};
}
