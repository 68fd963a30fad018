import { isLockTimeout, isUnavailable } from './database.js';
import type { SqlValue } from './queryable.js';

/** A statement of a look. */
export interface LookStatement {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** A statement that waits for others. */
interface WaitingLook extends LookStatement {
  readonly resolve: (rows: unknown[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * What a process reads again and again to find out whether there is anything to do. Each feature looks at its own tables; on
 * PostgreSQL the looks of a process are read in one transaction, that of the next sweep for runs, so that an idle server makes
 * about one transaction a second. SQLite answers at once: there, a read costs no transaction.
 */
export abstract class Looks {
  /** Reads what is committed, and what waits for it in the same transaction. @throws the driver's error */
  abstract now<Row>(sql: string, parameters?: readonly SqlValue[]): Promise<Row[]>;

  /**
   * As `now`, but waits for another look to be read with, and is read alone if there is none in time.
   *
   * @param withinMs how long it may wait, in milliseconds
   * @returns no rows when the database is closed meanwhile
   */
  abstract soon<Row>(sql: string, parameters: readonly SqlValue[], withinMs: number): Promise<Row[]>;
}

/** Looks of which each is a read of its own. */
export class SeparateLooks extends Looks {
  /** @param read as `RunDatabase.read` */
  constructor(private readonly read: { all<Row>(sql: string, parameters?: readonly SqlValue[]): Promise<Row[]> }) {
    super();
  }

  now<Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<Row[]> {
    return this.read.all(sql, parameters);
  }

  soon<Row>(sql: string, parameters: readonly SqlValue[]): Promise<Row[]> {
    return this.read.all(sql, parameters);
  }
}

/** Looks that are read together. */
export class JoinedLooks extends Looks {
  private waiting: WaitingLook[] = [];
  private timer: NodeJS.Timeout | undefined;
  /** When those that wait are read at the latest, in milliseconds of `performance.now`. */
  private readAt = Infinity;
  private isClosed = false;

  /** @param readAll reads statements in one transaction, all or none */
  constructor(private readonly readAll: (statements: readonly LookStatement[]) => Promise<unknown[][]>) {
    super();
  }

  async now<Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<Row[]> {
    return (await new Promise<unknown[]>((resolve, reject) => {
      void this.readTogether([{ sql, parameters, resolve, reject }, ...this.taken()]);
    })) as Row[];
  }

  soon<Row>(sql: string, parameters: readonly SqlValue[], withinMs: number): Promise<Row[]> {
    if (this.isClosed) return Promise.resolve([]);
    if (withinMs <= 0) return this.now(sql, parameters);
    return new Promise<Row[]>((resolve, reject) => {
      this.waiting.push({ sql, parameters, resolve: resolve as WaitingLook['resolve'], reject });
      const at = performance.now() + withinMs;
      if (at >= this.readAt) return;
      clearTimeout(this.timer);
      this.readAt = at;
      this.timer = setTimeout(() => void this.readTogether(this.taken()), withinMs).unref();
    });
  }

  /** Those that wait find nothing. */
  close(): void {
    this.isClosed = true;
    for (const { resolve } of this.taken()) resolve([]);
  }

  private taken(): readonly WaitingLook[] {
    clearTimeout(this.timer);
    this.readAt = Infinity;
    const taken = this.waiting;
    this.waiting = [];
    return taken;
  }

  /** Answers all. A statement that fails, or waits for a lock, does not keep the others from being read. */
  private async readTogether(looks: readonly WaitingLook[]): Promise<void> {
    try {
      const all = await this.readAll(looks);
      looks.forEach(({ resolve }, index) => resolve(all[index] ?? []));
    } catch (error) {
      const isStatements = isLockTimeout(error) || !isUnavailable(error);
      if (looks.length > 1 && isStatements) await Promise.all(looks.map((look) => this.readTogether([look])));
      else for (const { reject } of looks) reject(error);
    }
  }
}
