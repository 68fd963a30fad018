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

/**
 * The name is unknown, or stands for another statement (a pooler that was not noticed); or a column that the statement
 * returns has got another type.
 */
const REFUSALS: ReadonlySet<unknown> = new Set(['26000', '42P05', '0A000']);

/** The statements that were marked. */
const marked = new Set<string>();
/** Translated statements, by their text with `?`. */
const statements = new Map<string, Statement>();

/**
 * Marks an `INSERT … VALUES` that every run makes: PostgreSQL parses and plans it once for each connection, which is most of
 * its work (ADR 33). Not for a statement that finds rows: a plan that is kept may have been made while the table was
 * small, and reads all of it when it has grown. Returns the statement.
 */
export function prepared(sql: string): string {
  marked.add(sql);
  return sql;
}

/** Sends statements with `?` for each parameter, the marked ones of transactions under their names. */
export class PreparedStatements {
  private readonly asked = new WeakSet<pg.ClientBase>();
  /** Connections on which a statement can be used again by its name. */
  private readonly keeping = new WeakSet<pg.ClientBase>();
  /** Connections on which a name was not what it should be. */
  private readonly refusing = new WeakSet<pg.ClientBase>();

  constructor(private readonly mode: PreparedMode) {}

  /** A statement of a transaction. @throws the driver's error */
  query(client: pg.ClientBase, sql: string, parameters: readonly SqlValue[]): Promise<pg.QueryResult> {
    const { text, name } = statementOf(sql);
    const values = [...parameters];
    if (name === undefined || !this.keeps(client)) return client.query(text, values);
    const answer = client.query({ name, text, values });
    answer.catch((error: unknown) => {
      if (REFUSALS.has(codeOf(error))) this.refusing.add(client);
    });
    return answer;
  }

  private keeps(client: pg.ClientBase): boolean {
    if (this.mode === 'off' || this.refusing.has(client)) return false;
    if (this.mode === 'on') return true;
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

function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown } | undefined)?.code;
}

/** The text of a statement for PostgreSQL: `$1`, `$2` … instead of `?`. */
export function numbered(sql: string): string {
  return statementOf(sql).text;
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
