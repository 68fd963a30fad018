import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { AuditErasure, AuditTrail } from '../audit/index.js';
import { Clock, SERVER_ORIGIN } from '../common/index.js';
import { type Transaction, UnitOfWork } from '../database/index.js';
import type { EraseTurn } from './erase-job.js';
import { EraseJobs } from './ports/erase-jobs.js';
import { type ErasedCounts, type Erasure, UserCleaners } from './user-cleaners.js';

/** How long the rewriting of a file may take before another process may try it, in milliseconds. */
const CLEAR_MS = 60_000;
/** Between two looks whether older transactions are over, in milliseconds. */
const LOOK_MS = 50;
/** Transactions of ours are over by then: those of other databases of the same server may last, and write nothing here. */
const LONGEST_TRANSACTION_MS = 120_000;

/** Transactions and time, for erasures. */
@Injectable()
export class ErasureBooks {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.unitOfWork.writePatiently(work);
  }

  now(): number {
    return this.clock.now();
  }
}

/** The steps of an erasure. Each may be done twice. */
@Injectable()
export class ErasureWork {
  constructor(
    private readonly jobs: EraseJobs,
    private readonly cleaners: UserCleaners,
    private readonly audit: AuditErasure,
    private readonly trail: AuditTrail,
    private readonly books: ErasureBooks,
  ) {}

  /**
   * Removes everything of the user, then its bytes, then closes the receipt.
   *
   * @throws anything: the erasure is to be tried again
   */
  async workOn(turn: EraseTurn, signal: AbortSignal): Promise<void> {
    if (turn.erased) {
      await this.removeAll({ ...turn, erased: turn.erased }, signal);
      await this.forget({ ...turn, erased: turn.erased });
    }
    // While the file is rewritten, a turn cannot be renewed.
    await this.jobs.keep(turn, CLEAR_MS);
    await this.jobs.clearRemoved();
    if (!(await this.jobs.finish(turn, this.books.now()))) throw new Error('Another process has taken the erasure');
  }

  /** Until there is nothing left, and nobody can be writing who began before the user was blocked. */
  private async removeAll(turn: NamedTurn, signal: AbortSignal): Promise<void> {
    const beganAt = this.books.now();
    const moment = await this.jobs.moment();
    for (;;) {
      signal.throwIfAborted();
      const isPast = (await this.jobs.isPast(moment)) || this.books.now() - beganAt > LONGEST_TRANSACTION_MS;
      const removed = await this.removeOnce(turn, signal);
      if (removed === 0 && isPast) return;
      if (removed === 0) await pause(LOOK_MS);
    }
  }

  private async removeOnce(turn: NamedTurn, signal: AbortSignal): Promise<number> {
    let removed = 0;
    const write = async (work: (tx: Transaction) => Promise<ErasedCounts>): Promise<number> => {
      const count = await this.books.write(async (tx) => {
        const counts = await work(tx);
        const sum = sumOf(counts);
        if (sum > 0) await this.jobs.note(tx, turn, counts);
        return sum;
      });
      removed += count;
      return count;
    };
    const erasure: Erasure = { ...turn.erased, signal, write };
    await this.cleaners.cleanUser(erasure);
    await this.audit.prepare(signal);
    return removed;
  }

  /** In one transaction: what the audit trail knows of the user, the line that tells of the erasure, and the name in the job. */
  private async forget(turn: NamedTurn): Promise<void> {
    const { jobId, tenantId, erased } = turn;
    await this.books.write(async (tx) => {
      const { contents: auditContents, pseudonyms } = await this.audit.eraseUser(tx, erased.user);
      await this.jobs.note(tx, turn, { auditContents, pseudonyms });
      await this.jobs.forget(tx, turn);
      const subject = { kind: 'erasure', id: jobId } as const;
      await this.trail.write(tx, {
        tenantId,
        action: 'data.erased',
        by: SERVER_ORIGIN,
        subject,
        details: { stage: 'done' },
      });
    });
  }
}

type NamedTurn = EraseTurn & { readonly erased: NonNullable<EraseTurn['erased']> };

function sumOf(counts: ErasedCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
