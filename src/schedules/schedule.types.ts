import type { Authority, JsonObject } from '../common/index.js';
import type { Plan } from './plan.js';

/** What happens at a planned time while the run of the one before has not ended. */
export const OVERLAPS = ['skip', 'queue', 'cancel'] as const;
/** What happens at a planned time while the run of the one before has not ended. */
export type Overlap = (typeof OVERLAPS)[number];

/** Which of the times are made up for that a server was not there for. */
export const CATCH_UPS = ['none', 'last', 'all'] as const;
/** Which of the times are made up for that a server was not there for. */
export type CatchUp = (typeof CATCH_UPS)[number];

/** What a person chooses of a schedule. */
export interface ScheduleFields {
  readonly name: string;
  readonly plan: Plan;
  /** IANA name. */
  readonly timezone: string;
  readonly agent: string;
  /** A text, or messages as those of the Agent API. */
  readonly input: string | readonly JsonObject[];
  /** `new`, or the id of a session of the user. */
  readonly session: string;
  readonly overlap: Overlap;
  readonly catchUp: CatchUp;
  /** How much later than planned it may begin: a part of it, the same for the same time. */
  readonly jitterSeconds: number;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number | null;
  readonly enabled: boolean;
  readonly metadata: JsonObject | null;
  /** As fields of a request of the Agent API. */
  readonly modelOptions: JsonObject | null;
}

/** A schedule. Times are milliseconds since the epoch. */
export interface Schedule extends ScheduleFields {
  readonly rowId: number;
  readonly id: string;
  readonly tenantId: string;
  /** The user that its runs belong to. */
  readonly userId: string;
  /** With which rights they run: those of who created it; null without authentication. */
  readonly authority: Authority | null;
  /** `api`, or `code` for one that an agent declares. */
  readonly origin: 'api' | 'code';
  /** Why the server has disabled it; null if it has not. */
  readonly suspendedReason: string | null;
  readonly createdAt: number;
  /** From when intervals are counted. */
  readonly anchorAt: number;
  /** The next planned time; null if there is none. */
  readonly nextAt: number | null;
  /** When it is looked at next. */
  readonly dueAt: number | null;
  readonly lastRunId: string | null;
  /** The planned time of the last run. */
  readonly lastAt: number | null;
}

/** A schedule that is to be stored. */
export type NewSchedule = Omit<Schedule, 'rowId' | 'lastRunId' | 'lastAt'>;

/** A run of a schedule. Times are milliseconds since the epoch. */
export interface ScheduledRun {
  readonly rowId: number;
  readonly runId: string;
  readonly sessionId: string;
  readonly state: string;
  readonly createdAt: number;
  readonly finishedAt: number | null;
}

/** A schedule that a process has taken, and what the clock of the database says. */
export interface DueSchedule {
  readonly schedule: Schedule;
  readonly now: number;
}
