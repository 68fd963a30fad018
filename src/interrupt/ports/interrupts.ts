import type { InterruptStatus, InterruptView } from '../interrupt.types.js';

/** Whose questions: of a tenant, and of one user unless the asking side may see all of them. */
export interface InterruptScope {
  readonly tenantId: string;
  readonly userId?: string;
}

/** True for what can be the id of a question. Not every database can be asked for other characters. */
export function isInterruptId(id: string): boolean {
  return /^[\x21-\x7e]{1,128}$/.test(id);
}

/** Which questions a list shows. */
export interface InterruptListOptions {
  readonly status?: InterruptStatus;
  readonly kind?: InterruptView['kind'];
  readonly sessionId?: string;
  readonly limit: number;
  /** What the page before ended with. */
  readonly cursor?: string;
}

/** One page, newest first. */
export interface InterruptPage {
  readonly items: readonly InterruptView[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

/**
 * The questions to people that runs wait for, to be read. They are answered through `Runs.answer` or
 * with a request that carries answers. A foreign question is an unknown one; one whose time is over
 * shows as expired at once.
 */
export abstract class Interrupts {
  abstract find(scope: InterruptScope, id: string): Promise<InterruptView | undefined>;

  /** @throws AppError INVALID_PARAMETER for a cursor that this server did not give */
  abstract list(scope: InterruptScope, options: InterruptListOptions): Promise<InterruptPage>;

  /** What is open in a session, oldest first. */
  abstract pending(scope: InterruptScope, sessionId: string): Promise<readonly InterruptView[]>;
}
