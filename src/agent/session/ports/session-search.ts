import type { Reach } from '../../../common/index.js';

/** A session in a list. Times are milliseconds since the epoch. */
export interface SessionSummary {
  readonly sessionId: string;
  readonly userId: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** How many messages were added to it, including removed ones. */
  readonly messageCount: number;
  /** The first words of the first text of a user in its runs; null if there are none. */
  readonly title: string | null;
  /** The newest run; null without one. */
  readonly lastRun: LastRun | null;
}

/** The newest run of a session. */
export interface LastRun {
  readonly runId: string;
  readonly agentType: string;
  readonly wire: string;
  readonly state: string;
  /** The first words of its input; null if it has none. */
  readonly inputText: string | null;
  /** What it waits for if it was interrupted: a decision, a value, or results of its client; null if it does not wait. */
  readonly waitsFor: 'approval' | 'input' | 'client' | null;
}

/** Which sessions to list. */
export interface SessionSearchQuery {
  readonly limit: number;
  /** `nextCursor` of the page before. */
  readonly cursor?: string;
}

/** One page, the last changed first. */
export interface SessionSummaryPage {
  readonly items: readonly SessionSummary[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

/** Lists the sessions of all users within a reach. A page reads a bounded number of rows. */
export abstract class SessionSearch {
  /** Without the unlisted sessions (`OpenOptions.unlisted`). @throws AppError INVALID_PARAMETER for an unknown cursor */
  abstract list(reach: Reach, query: SessionSearchQuery): Promise<SessionSummaryPage>;

  /** @throws AppError AMBIGUOUS_ID when several users of a tenant have such a session, and the reach is the tenant */
  abstract find(reach: Reach, sessionId: string): Promise<SessionSummary | undefined>;
}
