import { POSTGRES_MIGRATIONS } from './migrations/postgres/index.js';

/** The newest migration of the core schema that this version knows: its timestamp, as text of 13 digits. */
export const SCHEMA_VERSION = /\d+$/.exec(POSTGRES_MIGRATIONS.at(-1)?.name ?? '')?.[0] ?? '';
