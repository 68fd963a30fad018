import type { Reach } from '../../../common/index.js';
import type { InterruptStatus, InterruptView, ListedInterrupt } from '../interrupt.types.js';

/** True for a possible interrupt id. Other characters cannot be queried in every database. */
export function isInterruptId(id: string): boolean {
  return /^[\x21-\x7e]{1,128}$/.test(id);
}

/** Which interrupts to list. */
export interface InterruptListOptions {
  /** Those with one of these; absent: all. */
  readonly statuses?: readonly InterruptStatus[];
  readonly kind?: InterruptView['kind'];
  readonly sessionId?: string;
  /** The run that opened it. */
  readonly runId?: string;
  readonly limit: number;
  /** `nextCursor` of the page before. */
  readonly cursor?: string;
}

/** One page, newest first. */
export interface InterruptPage {
  readonly items: readonly ListedInterrupt[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

/**
 * Interrupts for reading. They are answered through `Runs.answer` or with a request that carries answers.
 * An interrupt outside the reach is not found; one whose time has passed is returned as expired at once.
 */
export abstract class Interrupts {
  abstract find(reach: Reach, id: string): Promise<ListedInterrupt | undefined>;

  /** @throws AppError INVALID_PARAMETER for an unknown cursor */
  abstract list(reach: Reach, options: InterruptListOptions): Promise<InterruptPage>;

  /** The pending interrupts of a session, oldest first. */
  abstract pending(reach: Reach, sessionId: string): Promise<readonly InterruptView[]>;
}
