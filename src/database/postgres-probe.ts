import type pg from 'pg';
import { cut, ignoreError } from './request-waits.js';

/** Whether the database answers, over an idle connection or a new one. @throws Error if it does not in time */
export async function probe(pool: pg.Pool, withinMs: number): Promise<void> {
  const pooled = pool.idleCount > 0 ? await pool.connect() : undefined;
  const client = pooled ?? newClient(pool, withinMs);
  client.on('error', ignoreError);
  const timer = setTimeout(() => cut(client, { cancels: false }), withinMs);
  try {
    if (!pooled) await client.connect();
    await client.query('SELECT 1');
  } finally {
    clearTimeout(timer);
    client.off('error', ignoreError);
    if (pooled) pooled.release();
    else cut(client, { cancels: false });
  }
}

/** A connection beside those of a pool. */
function newClient(pool: pg.Pool, withinMs: number): pg.Client {
  // The class that the pool makes its connections of, and its options, of which the password is not enumerable.
  const { Client, options } = pool as pg.Pool & { readonly Client: typeof pg.Client };
  return new Client({ ...options, password: options.password, connectionTimeoutMillis: withinMs });
}
