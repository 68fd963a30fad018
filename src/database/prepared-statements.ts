import { hash } from 'node:crypto';
import type pg from 'pg';
import type { SqlValue } from './queryable.js';

/** When statements are kept prepared: `auto` asks each connection, `on` and `off` do not. */
export type PreparedMode = 'auto' | 'on' | 'off';

/** A statement as PostgreSQL takes it. */
interface Statement {
  /** With `$1`, `$2` … instead of `?`. */
  readonly text: string;
  /** Its name on the server; undefined for one that is parsed each time. */
  readonly name: string | undefined;
}

/** Hexadecimal digits of a name, so that no two are equal. */
const NAME_LENGTH = 24;

/** The statements that were marked. */
const marked = new Set<string>();
/** Translated statements, by their text with `?`. */
const statements = new Map<string, Statement>();

/**
 * Marks a statement that every run makes: PostgreSQL parses it once for each connection, and plans it a few times, which
 * is half of its work (ADR 33). Not for a statement whose best plan depends on its values. Returns the statement.
 */
export function prepared(sql: string): string {
  marked.add(sql);
  return sql;
}

/** Sends statements with `?` for each parameter, the marked ones under their names. */
export class PreparedStatements {
  private readonly asked = new WeakSet<pg.ClientBase>();
  /** Connections on which a statement can be used again by its name. */
  private readonly keeping = new WeakSet<pg.ClientBase>();

  constructor(private readonly mode: PreparedMode) {}

  /** @throws the driver's error */
  query(client: pg.ClientBase, sql: string, parameters: readonly SqlValue[]): Promise<pg.QueryResult> {
    const { text, name } = statementOf(sql);
    const values = [...parameters];
    if (name === undefined || !this.keeps(client)) return client.query(text, values);
    return client.query({ name, text, values });
  }

  private keeps(client: pg.ClientBase): boolean {
    if (this.mode !== 'auto') return this.mode === 'on';
    if (!this.asked.has(client)) {
      this.asked.add(client);
      this.ask(client).catch(() => this.asked.delete(client));
    }
    return this.keeping.has(client);
  }

  /**
   * A pooler such as PgBouncer makes up the process that it names at the start of a connection, and the next transaction
   * may have another one, which does not know the statement. Costs no round trip: nobody waits for the answer.
   */
  private async ask(client: pg.ClientBase): Promise<void> {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const { processID } = client as pg.ClientBase & { readonly processID?: number | null };
    if (rows[0]?.pid === processID) this.keeping.add(client);
  }
}

function statementOf(sql: string): Statement {
  let statement = statements.get(sql);
  if (!statement) {
    let count = 0;
    const text = sql.replace(/\?/g, () => `$${(count += 1)}`);
    // From the text: a name never stands for two statements, not even of two versions of the server.
    const name = marked.has(sql) ? `parley_${hash('sha256', text, 'hex').slice(0, NAME_LENGTH)}` : undefined;
    statement = { text, name };
    statements.set(sql, statement);
  }
  return statement;
}
