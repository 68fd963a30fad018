import { canonicalJson, isoTime, isUser, type Json, parsedJson, type Principal } from '../../common/index.js';
import type { ExportedRow } from '../user-exporters.js';

/** A value of a column, content in the clear. */
export type ColumnValue = string | number | null;

/** A row as it is stored, content in the clear, by its columns as the table names them. */
export type StoredRow = Readonly<Record<string, ColumnValue>>;

/** Makes the JSON text of a member from the row. */
export type Reading = (value: ColumnValue, row: StoredRow, user: Principal) => string;

/** A table with rows of users, as it is exported. */
export interface UserTable {
  /** As `ExportedRow.kind`. */
  readonly kind: string;
  /** The table, with an alias and joins if columns are named so: what follows FROM. */
  readonly from: string;
  /** The condition that selects the rows, in SQL that both databases understand. */
  readonly where: string;
  /** Columns that tell rows apart and never change: pages follow each other in their order. */
  readonly key: readonly string[];
  /** What is exported: the column of each member, or the column and how it is read. */
  readonly members: Readonly<Record<string, string | readonly [column: string, reading: Reading]>>;
  /** Columns that are not exported: ids of the database, what others own, secrets. Readings may look at them. */
  readonly leftOut?: readonly string[];
  /** Rows that are read at a time; fewer if they have much content. Default: 100. */
  readonly page?: number;
}

/** A row of a user. */
export interface FoundRow extends ExportedRow {
  /** The JSON text of an object with the members of the table. */
  readonly data: string;
  readonly row: StoredRow;
}

/** Rows of a user: those of a user of a tenant, by their columns. */
export const OF_USER = 'tenant_id = ? AND user_id = ?';

/** The greatest time that a date can have. */
const LATEST = 8.64e15;

/** Reads rows of users. */
export abstract class UserRows {
  /** As `UserExport.list`. @throws the driver's error */
  abstract list(
    user: Principal,
    table: UserTable,
    values?: readonly (string | number)[],
  ): AsyncGenerator<FoundRow, void, void>;

  /**
   * What tells a tenant from another that had or has its id, and from itself before it was changed; undefined if none has
   * the id.
   *
   * @throws the driver's error
   */
  abstract tenantMark(tenantId: string): Promise<string | undefined>;
}

/** A value as JSON. */
export const plain: Reading = (value) => JSON.stringify(value);

/** JSON text as it is stored, so that large integers stay exact. */
export const json: Reading = (value) => {
  if (typeof value !== 'string') return 'null';
  const parsed = parsedJson(value);
  // Somebody may have changed it in the database.
  if (parsed === undefined) return JSON.stringify(value);
  return value.includes('\n') ? JSON.stringify(parsed) : value;
};

/** Milliseconds since the epoch as ISO 8601, and as they are if no date can have them; null stays null. */
export const time: Reading = (value) => {
  if (value === null) return 'null';
  const ms = Number(value);
  return Math.abs(ms) > LATEST ? String(ms) : JSON.stringify(isoTime(ms));
};

/** An integer, which PostgreSQL returns as a text if it may be large. */
export const integer: Reading = (value) => (value === null ? 'null' : String(Number(value)));

/** 1 or 0 as true or false. */
export const flag: Reading = (value) => String(value === 1);

/** The actor in the JSON of a column, as `seenActor`; other members of it are left out. @param member where the actor is */
export function actorIn(member: 'actor' | 'startedBy'): Reading {
  return (value, _row, user) => {
    const parsed = typeof value === 'string' ? (parsedJson(value) as Readonly<Record<string, Json>> | null) : null;
    const actor = parsed?.[member] as ActorJson | null | undefined;
    return actor ? canonicalJson(seenActor(actor, user)) : 'null';
  };
}

interface ActorJson {
  readonly kind: string;
  readonly id: string;
  readonly account?: string;
}

/** An actor as the user may see it: other people are not named. */
export function seenActor({ kind, id, account }: ActorJson, { userId }: Principal): Json {
  if (kind === 'key') return { kind, ...(account !== undefined && { account }) };
  return { kind, ...(isUser({ kind, id }, userId) && { id }) };
}
