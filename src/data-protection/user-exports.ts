import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/index.js';
import { AppError, Clock, isoTime, type Origin, type Principal, VERSION } from '../common/index.js';
import { UnitOfWork } from '../database/index.js';
import { Erasures } from './erasures.js';
import { OpenExports } from './open-exports.js';
import { EraseJobs } from './ports/erase-jobs.js';
import { UserRows } from './ports/user-rows.js';
import { type ExportedRow, UserExporters } from './user-exporters.js';

/** What the first line of an export says that it is. */
const FORMAT = 'parley-user/1';
/** Characters that are handed on at a time. */
const BATCH = 65_536;

/** Tells the audit trail of exports. */
@Injectable()
export class ExportBooks {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly trail: AuditTrail,
    private readonly jobs: EraseJobs,
  ) {}

  /** @throws AppError SESSION_BUSY while the user's data is being erased; then nothing is written */
  note({
    user,
    by,
    id,
    isEmpty,
  }: {
    readonly user: Principal;
    readonly by: Origin;
    readonly id: string;
    /** Nothing is stored of the user: the name is not stored either. */
    readonly isEmpty: boolean;
  }): Promise<void> {
    const subject = { kind: 'user', id: user.userId } as const;
    const details = { export: id, empty: isEmpty };
    const act = {
      tenantId: user.tenantId,
      action: 'data.exported',
      by,
      ...(!isEmpty && { subject }),
      details,
    } as const;
    return this.unitOfWork.write(async (tx) => {
      await this.trail.write(tx, act);
      await this.jobs.refuse(tx, user);
    });
  }
}

/** An export, and what it depends on as that was before anything was read. */
interface Begun {
  readonly id: string;
  readonly user: Principal;
  /** The user's newest erasure. */
  readonly erasure: string | undefined;
  /** As `UserRows.tenantMark`. */
  readonly tenant: string;
}

/** Exports of what is stored of a user (contract access, section 9). They change nothing but the audit trail. */
@Injectable()
export class UserExports {
  private readonly open = new OpenExports();

  constructor(
    private readonly exporters: UserExporters,
    private readonly rows: UserRows,
    private readonly erasures: Erasures,
    private readonly books: ExportBooks,
    private readonly clock: Clock,
  ) {}

  /**
   * Everything that is stored of a user, as JSON Lines: `{"export": …}`, then `{"kind": …, "data": …}` for each thing, and
   * `{"end": …}` with the counts; without that line the export was cut. Nothing needs to exist. The trail tells of the
   * export before anything is read to the end; of a user of whom nothing is stored, it has no name.
   *
   * @returns pieces of whole lines, read as fast as they are taken. The iteration throws if the database fails, if the
   *   user is erased meanwhile, or if the tenant is renamed or changed: then there is no end
   * @throws AppError TENANT_NOT_FOUND; SESSION_BUSY while the user's data is being erased; RATE_LIMIT_EXCEEDED while an
   *   export of the user, or too many of others, have not been read to the end or left
   */
  async begin(user: Principal, by: Origin): Promise<AsyncIterable<Buffer>> {
    const close = this.open.take(user);
    try {
      return closing(await this.begun(user, by), close);
    } catch (error) {
      close();
      throw error;
    }
  }

  private async begun(user: Principal, by: Origin): Promise<AsyncGenerator<Buffer, void, void>> {
    const erasure = await this.erasures.newest(user);
    const tenant = await this.rows.tenantMark(user.tenantId);
    // It was renamed a moment ago: what it has is stored under another id.
    if (tenant === undefined) throw new AppError('TENANT_NOT_FOUND');
    const rows = this.exporters.exportUser({
      user,
      list: (table, values) => this.rows.list(user, table, values),
    });
    const id = randomUUID();
    const first = await rows.next();
    await this.books.note({ user, by, id, isEmpty: first.done === true });
    return inBatches(this.lines({ id, user, erasure, tenant }, first, rows));
  }

  private async *lines(
    { id, user, erasure, tenant: mark }: Begun,
    first: IteratorResult<ExportedRow, void>,
    rows: AsyncGenerator<ExportedRow, void, void>,
  ): AsyncGenerator<string, void, void> {
    const counts: Record<string, number> = {};
    let unreadable = 0;
    try {
      const { tenantId: tenant, userId } = user;
      yield line({ export: { format: FORMAT, id, tenant, user: userId, at: this.now(), version: VERSION } });
      for (let next = first; next.done !== true; next = await rows.next()) {
        const { kind, isUnreadable } = next.value;
        counts[kind] = (counts[kind] ?? 0) + 1;
        if (isUnreadable === true) unreadable += 1;
        yield rowLine(next.value);
      }
      if ((await this.erasures.newest(user)) !== erasure) throw new Error('The data of the user was erased meanwhile');
      // Whatever was read of its old id after a rename was empty.
      if ((await this.rows.tenantMark(user.tenantId)) !== mark)
        throw new Error('The tenant was renamed or changed meanwhile');
      const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
      yield line({ end: { id, complete: true, at: this.now(), rows: total, unreadable, counts } });
    } finally {
      await rows.return();
    }
  }

  private now(): string {
    return isoTime(this.clock.now());
  }
}

/** The line of a row. JSON that is stored as text is not read again. */
function rowLine({ kind, data, isUnreadable }: ExportedRow): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `{"kind":${JSON.stringify(kind)}${isUnreadable === true ? ',"unreadable":true' : ''},"data":${text}}\n`;
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

/** Lines in pieces: a write for each line would cost more than the line. */
async function* inBatches(lines: AsyncGenerator<string, void, void>): AsyncGenerator<Buffer, void, void> {
  let batch = '';
  for await (const one of lines) {
    batch += one;
    if (batch.length < BATCH) continue;
    yield Buffer.from(batch);
    batch = '';
  }
  yield Buffer.from(batch);
}

/**
 * Pieces whose end is told: when they are read, when they fail, and when they are left, which a generator does not notice
 * that has not begun.
 */
function closing(pieces: AsyncGenerator<Buffer, void, void>, close: () => void): AsyncIterable<Buffer> {
  const iterator: AsyncIterator<Buffer, void, void> = {
    next: async () => {
      try {
        const next = await pieces.next();
        if (next.done === true) close();
        return next;
      } catch (error) {
        close();
        throw error;
      }
    },
    return: () => {
      close();
      return pieces.return();
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}
