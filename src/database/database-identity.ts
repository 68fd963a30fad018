import { createHash } from 'node:crypto';
import type { RunDatabase } from './database.js';

/** The schema too, if it is not the usual one: several servers may share a database. */
const SCHEMA = `CASE current_schema() WHEN 'public' THEN '' ELSE '/' || current_schema() END`;
const IDENTITY = `
  SELECT system_identifier::text || '/' || (SELECT oid FROM pg_database WHERE datname = current_database()) || ${SCHEMA}
    AS name
  FROM pg_control_system()`;
const NAME = `SELECT current_database() || ${SCHEMA} AS name`;

/**
 * A short text that is the same for all processes on one PostgreSQL database, however they reach it, and different for
 * other databases: what belongs to a database in a Redis that several share is named by it.
 *
 * @throws the driver's error
 */
export async function databaseIdentity(database: RunDatabase): Promise<string> {
  // A role that may not read the control data still gets a name: that of the database.
  const [row] = await database.read
    .all<{ name: string }>(IDENTITY)
    .catch(() => database.read.all<{ name: string }>(NAME));
  return createHash('sha256')
    .update(row?.name ?? '')
    .digest('hex')
    .slice(0, 12);
}
