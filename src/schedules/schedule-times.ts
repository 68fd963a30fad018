import { createHash } from 'node:crypto';
import { nextTime } from './plan.js';
import type { ScheduleChanges } from './ports/schedule-store.js';
import type { Schedule } from './schedule.types.js';

/** Later than this, a planned time was missed, in milliseconds. */
const LATE_MS = 60_000;
/** Missed times that are made up for. */
export const MOST_CAUGHT_UP = 24;

type Planned = Pick<Schedule, 'id' | 'plan' | 'timezone' | 'anchorAt' | 'jitterSeconds' | 'expiresAt'>;

/** The next planned time after a moment, and when it is due: as changes of the schedule. */
export function planAfter(schedule: Planned, after: number): Pick<ScheduleChanges, 'nextAt' | 'dueAt'> {
  const { plan, timezone, anchorAt, expiresAt } = schedule;
  const next = nextTime(plan, timezone, after, anchorAt);
  if (next === undefined || (expiresAt !== null && next > expiresAt)) return { nextAt: null, dueAt: null };
  return { nextAt: next, dueAt: next + jitterOf(schedule, next) };
}

/** What is to be done at a planned time that has come. */
export interface Turn {
  /** The times that are given up, oldest first. At most `MOST_CAUGHT_UP` of them are listed. */
  readonly missed: readonly number[];
  /** The time that a run is started for; undefined: none. */
  readonly plannedAt: number | undefined;
  /** The next planned time, and when it is due. */
  readonly next: Pick<ScheduleChanges, 'nextAt' | 'dueAt'>;
}

/**
 * What is to be done now (contract hooks, section B2): a planned time that is later than a minute was missed, and
 * follows `catchUp`.
 *
 * @param now by the clock of the database
 */
export function turnOf(schedule: Schedule & { readonly nextAt: number }, now: number): Turn {
  const { nextAt, catchUp, plan, timezone, anchorAt } = schedule;
  const isLate = now - nextAt - jitterOf(schedule, nextAt) > LATE_MS;
  if (!isLate) return { missed: [], plannedAt: nextAt, next: planAfter(schedule, nextAt) };
  const times = pastTimes(nextAt, now, (after) => nextTime(plan, timezone, after, anchorAt));
  const last = times.at(-1) ?? nextAt;
  if (catchUp === 'none') {
    // One of them may be of this minute.
    const isFresh = now - last <= LATE_MS && last !== nextAt;
    const missed = isFresh ? times.slice(0, -1) : times;
    return { missed, plannedAt: isFresh ? last : undefined, next: planAfter(schedule, last) };
  }
  if (catchUp === 'last') return { missed: times.slice(0, -1), plannedAt: last, next: planAfter(schedule, last) };
  const [first = nextAt] = times;
  return { missed: first === nextAt ? [] : [nextAt], plannedAt: first, next: planAfter(schedule, first) };
}

/** The newest planned times from one on until now, oldest first. */
function pastTimes(from: number, now: number, nextAfter: (after: number) => number | undefined): readonly number[] {
  // Of a long time only the end is looked at: a rule of every minute has half a million times in a year.
  for (let reach = 26 * 3_600_000; ; reach *= 8) {
    const start = Math.max(from, now - reach);
    const times = start === from ? [from] : [];
    for (let time = nextAfter(start); time !== undefined && time <= now; time = nextAfter(time)) {
      times.push(time);
      if (times.length > MOST_CAUGHT_UP) times.shift();
    }
    if (times.length > 0 || start === from) return times;
  }
}

/** How much later than planned a time is due, in milliseconds: the same each time. */
function jitterOf({ id, jitterSeconds }: Pick<Planned, 'id' | 'jitterSeconds'>, plannedAt: number): number {
  if (jitterSeconds === 0) return 0;
  const random = createHash('sha256').update(`${id}:${plannedAt}`).digest().readUInt32BE(0);
  return Math.floor((random / 2 ** 32) * jitterSeconds * 1000);
}
