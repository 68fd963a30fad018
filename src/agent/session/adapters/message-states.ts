import { isStorable, type Reach } from '../../../common/index.js';
import { type ContentSeals, type Queryable, reachCondition } from '../../../database/index.js';
import type { Message } from '../../../events/index.js';
import type { StoredMessages } from '../message-state.js';
import type { FoundStates, StateQuery } from '../ports/session-store.js';
import { keyColumns, openMessages } from './message-content.js';

/** A row of `messages` with its state. */
export interface StoredRow {
  readonly id: string;
  readonly body: string;
  readonly provider_state: string | null;
}

/** The message of a row. */
export function storedMessage(row: Pick<StoredRow, 'body'>): Message {
  return JSON.parse(row.body) as Message;
}

/** Rows as messages and their states, in the same order. */
export function storedMessages(rows: readonly StoredRow[]): StoredMessages {
  const states = new Map<string, string>();
  for (const { id, provider_state: state } of rows) if (state !== null) states.set(id, state);
  return { messages: rows.map(storedMessage), states };
}

/** Provider states by ids and keys. Forks copy messages, and clients repeat requests: the newest of several counts. */
export async function newestStates(
  sql: Queryable,
  content: ContentSeals,
  reach: Reach,
  { ids, keys }: StateQuery,
): Promise<FoundStates> {
  const condition = reachCondition(reach, 's');
  const find = async (column: string, wanted: readonly string[]): Promise<readonly FoundRow[]> => {
    const list = JSON.stringify(wanted.filter(isStorable));
    const statement = newest(column, sql.dialect, condition.sql, keyColumns(content, 'm'));
    return openMessages(content, await sql.all<FoundRow>(statement, [list, ...condition.values]));
  };
  // Together, so that on PostgreSQL they share a round trip.
  const [byId, byKey] = await Promise.all([find('id', ids), find('state_key', keys)]);
  return { byId: textsOf(byId), byKey: textsOf(byKey) };
}

/** A state and the id or key that it was found by. */
interface FoundRow {
  readonly wanted: string;
  /** Not read. */
  readonly body: string;
  readonly provider_state: string;
}

const IN_LIST = {
  sqlite: 'IN (SELECT value FROM json_each(?))',
  postgres: '= ANY(ARRAY(SELECT json_array_elements_text(?::json)))',
};

function newest(column: string, dialect: Queryable['dialect'], reach: string, key: string): string {
  return `
    SELECT f.* FROM (
      SELECT m.${column} AS wanted, '' AS body, m.provider_state${key},
        ROW_NUMBER() OVER (PARTITION BY m.${column} ORDER BY m.created_at DESC, m.session_no DESC, m.seq DESC) AS place
      FROM messages m JOIN sessions s ON s.no = m.session_no
      WHERE m.${column} ${IN_LIST[dialect]} AND m.provider_state IS NOT NULL AND ${reach}
    ) f WHERE f.place = 1`;
}

function textsOf(rows: readonly FoundRow[]): Map<string, string> {
  return new Map(rows.map(({ wanted, provider_state: state }) => [wanted, state]));
}
