/**
 * The database's clock as an SQL expression: milliseconds since the epoch, the same in one whole statement. Leases are
 * compared with it, because the clocks of machines differ.
 */
export const DATABASE_NOW = {
  sqlite: `CAST(unixepoch('subsec') * 1000 AS INTEGER)`,
  postgres: `CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000 AS bigint)`,
} as const;
