import type { JsonObject } from '../../common/index.js';
import type { Queryable } from '../../database/index.js';
import type { AskedInterrupt, AuditNote, InterruptStatus, Resumption } from '../interrupt.types.js';

/** An answer that was checked against what was asked. */
export interface CheckedAnswer {
  readonly id: string;
  readonly status: Exclude<InterruptStatus, 'pending' | 'expired'>;
  readonly decision: JsonObject;
}

/** A run that questions are opened or settled by. */
export interface InterruptRun {
  readonly rowId: number;
  readonly id: string;
  readonly sessionRowId: number;
  /** The first run of its chain. */
  readonly rootRunNo: number;
}

/** A question that no run of its session has gone on from: it is open, or its time is over. */
export interface WaitingInterrupt {
  readonly rowId: number;
  readonly id: string;
  readonly kind: string;
  readonly waitingRunRowId: number;
  readonly expiresAt: number | null;
}

/**
 * Questions and the audit trail as runs write them: inside the transaction of the run they belong to,
 * so that an answer and the run that goes on with it are always stored together.
 */
export abstract class InterruptStore {
  /** Stores what a run ends with. A question that is known already waits for this run from now on. */
  abstract open(tx: Queryable, runRowId: number, asked: readonly AskedInterrupt[], now: number): Promise<void>;

  /** What no run of a session has gone on from, oldest first. */
  abstract waiting(tx: Queryable, sessionRowId: number): Promise<readonly WaitingInterrupt[]>;

  /**
   * Answers questions of the run's session, each once, whoever is faster.
   *
   * @throws AppError INTERRUPT_NOT_FOUND (also: of another session), INTERRUPT_ALREADY_ANSWERED,
   *   INTERRUPT_EXPIRED (unless the answer gives up)
   */
  abstract settle(tx: Queryable, run: InterruptRun, answers: readonly CheckedAnswer[], now: number): Promise<void>;

  /** Closes what is open in the run's session, because the person went on without answering. */
  abstract giveUp(tx: Queryable, run: InterruptRun, now: number): Promise<void>;

  /** Marks what is over in the run's session as expired, for this run to act on. */
  abstract expireFor(tx: Queryable, run: InterruptRun, now: number): Promise<void>;

  /** Closes what the given run waits for, in a transaction of its own unless one is given. Returns how many questions that were. */
  abstract cancelOfRun(runRowId: number, now: number, tx?: Queryable): Promise<number>;

  /** Closes what is open in a session and returns the ids of the runs that waited. */
  abstract cancelOfSession(sessionRowId: number, now: number): Promise<readonly string[]>;

  /** Marks everything whose time is over as expired. Returns how many questions that were. */
  abstract expire(now: number): Promise<number>;

  /** What a run that goes on needs to know. @param base the run whose answers count, mostly the run itself */
  abstract resumption(run: InterruptRun, base: number): Promise<Resumption>;

  /** Adds lines to the audit trail in the name of a run. */
  abstract audit(tx: Queryable, runRowId: number, notes: readonly AuditNote[], now: number): Promise<void>;

  /**
   * Deletes a session's questions, or those one run asked. What is open is closed first, for the audit
   * trail, which stays; so are questions of other runs that only the removed run waits for.
   */
  abstract remove(
    tx: Queryable,
    of: { readonly sessionRowId: number } | { readonly runRowId: number },
    now: number,
  ): Promise<void>;
}
