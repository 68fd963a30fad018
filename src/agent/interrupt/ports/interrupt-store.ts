import type { JsonObject, Principal } from '../../../common/index.js';
import type { Transaction } from '../../../database/index.js';
import type {
  AskedInterrupt,
  AuditNote,
  DecidedBy,
  InterruptKind,
  InterruptStatus,
  Resumption,
} from '../interrupt.types.js';

/** An answer that was validated against its interrupt. */
export interface ValidatedAnswer {
  readonly id: string;
  readonly status: Exclude<InterruptStatus, 'pending' | 'expired'>;
  readonly decision: JsonObject;
  /** Null without authentication. */
  readonly decidedBy: DecidedBy | null;
}

/** A run that opens or resolves interrupts. */
export interface InterruptRun {
  readonly rowId: number;
  readonly id: string;
  readonly tenantId: string;
  readonly userId: string;
  readonly sessionRowId: number;
  readonly sessionId: string;
  /** The first run of its chain. */
  readonly rootRunRowId: number;
}

/** An interrupt that no run of its session has resumed from: it is pending or expired. */
export interface WaitingInterrupt {
  readonly id: string;
  readonly kind: InterruptKind;
  readonly waitingRunRowId: number;
  /** In milliseconds since the epoch; null for never. */
  readonly expiresAt: number | null;
}

/**
 * Interrupts and the audit log as runs write them: in the transaction of the run they belong to, so
 * that an answer and the run that resumes with it are always stored together.
 */
export abstract class InterruptStore {
  /** Puts a pseudonym in the place of a user who has answered interrupts of others. Returns in how many. */
  abstract renameDecider(tx: Transaction, user: Principal, pseudonym: string): Promise<number>;

  /** Stores the interrupts that a run ends with. A known one waits for this run from now on. */
  abstract open(tx: Transaction, run: InterruptRun, asked: readonly AskedInterrupt[], now: number): Promise<void>;

  /** The interrupts that no run of a session has resumed from, oldest first. */
  abstract waiting(tx: Transaction, sessionRowId: number): Promise<readonly WaitingInterrupt[]>;

  /** Whether a run has ended with interrupts, in any state. */
  abstract hasAsked(tx: Transaction, runRowId: number): Promise<boolean>;

  /**
   * Answers interrupts of the run's session. Of two answers to one interrupt the first is stored.
   *
   * @throws AppError INTERRUPT_NOT_FOUND (also for one of another session), INTERRUPT_ALREADY_ANSWERED,
   *   INTERRUPT_EXPIRED (unless the answer cancels)
   */
  abstract recordAnswers(
    tx: Transaction,
    run: InterruptRun,
    answers: readonly ValidatedAnswer[],
    now: number,
  ): Promise<void>;

  /** Cancels what is pending in the run's session, because the user continued without answering. */
  abstract cancelUnanswered(tx: Transaction, run: InterruptRun, now: number): Promise<void>;

  /** Assigns to this run the expired interrupts of its session, which it then handles. */
  abstract assignExpired(tx: Transaction, run: InterruptRun, now: number): Promise<void>;

  /** Cancels what the run waits for. */
  abstract cancelForRun(tx: Transaction, runRowId: number, now: number): Promise<void>;

  /** Cancels what is pending in a session. Returns the ids of the runs that waited. */
  abstract cancelForSession(tx: Transaction, sessionRowId: number, now: number): Promise<readonly string[]>;

  /** Marks all interrupts whose time has passed as expired, in a transaction of its own. Returns their number. */
  abstract expireDue(now: number): Promise<number>;

  /** What a resumed run needs to know. @param base the run whose answers count, usually the run itself */
  abstract resumption(run: InterruptRun, base: number): Promise<Resumption>;

  /** Adds entries to the audit log in the name of a run. */
  abstract audit(tx: Transaction, run: InterruptRun, notes: readonly AuditNote[], now: number): Promise<void>;

  /**
   * Deletes the interrupts of a session, or those that one run opened. Pending ones are canceled first, for
   * the audit log, which is kept; so are those of other runs for which only the removed run waits.
   */
  abstract remove(
    tx: Transaction,
    of: { readonly sessionRowId: number } | { readonly runRowId: number },
    now: number,
  ): Promise<void>;
}
