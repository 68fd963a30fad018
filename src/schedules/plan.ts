import { Cron } from 'croner';
import { AppError, memoize } from '../common/index.js';

const DAY_MS = 86_400_000;
const KEPT_ZONES = 64;

/** Formatters by zone: making one takes ten times as long as using it. */
const partsIn = memoize(
  KEPT_ZONES,
  (timeZone: string) =>
    new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'iso8601',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    }),
);

/**
 * The local time of a zone at a moment, written as if it were UTC. Whole seconds.
 *
 * @param instant milliseconds since the epoch
 */
function localTime(zone: string, instant: number): number {
  const fields: Record<string, number> = {};
  for (const { type, value } of partsIn(zone).formatToParts(instant)) fields[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = fields;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/**
 * The moment of a local time (contract hooks, section B3): the first one if the time comes twice, the end of the gap if it
 * does not exist.
 *
 * @param local the local time, written as if it were UTC
 * @returns milliseconds since the epoch
 */
function instantOf(zone: string, local: number): number {
  const [before, after] = [offsetAt(zone, local - DAY_MS), offsetAt(zone, local + DAY_MS)];
  // The greater offset gives the earlier moment.
  const candidates = [local - Math.max(before, after), local - Math.min(before, after)];
  const found = candidates.find((instant) => instant + offsetAt(zone, instant) === local);
  return found ?? endOfGap(zone, local - DAY_MS - before, local + DAY_MS - after);
}

/** The moment at which the offset of a zone changes, between two moments that have different ones. */
function endOfGap(zone: string, from: number, to: number): number {
  const offset = offsetAt(zone, from);
  let [low, high] = [Math.floor(from / 1000), Math.ceil(to / 1000)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(zone, middle * 1000) === offset) low = middle;
    else high = middle;
  }
  return high * 1000;
}

/** Local time less UTC, in milliseconds. */
function offsetAt(zone: string, instant: number): number {
  return localTime(zone, instant) - Math.floor(instant / 1000) * 1000;
}

/** When a schedule is due: a rule in local times, an interval of elapsed time, or one moment. */
export type Plan =
  | { readonly kind: 'cron'; readonly cron: string }
  /** ISO 8601, such as `PT15M`. */
  | { readonly kind: 'every'; readonly every: string }
  /** Milliseconds since the epoch. */
  | { readonly kind: 'at'; readonly at: number };

const SHORTEST_EVERY_MS = 60_000;
const LONGEST_EVERY_MS = 366 * 86_400_000;
const KEPT_RULES = 256;
const DURATION = /^P(?:(\d{1,4})W)?(?:(\d{1,4})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,7})M)?(?:(\d{1,9})S)?)?$/;
/** Local times that map to moments which are over: those of a gap, and those that come twice. */
const MOST_STEPS = 10_000;

const ruleOf = memoize(KEPT_RULES, (cron: string): Cron | string => {
  try {
    return new Cron(cron, { timezone: 'UTC', mode: '5-part', paused: true });
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error);
  }
});

/** Checks a plan. @throws AppError INVALID_PARAMETER with the field */
export function checkPlan(plan: Plan): void {
  if (plan.kind === 'every') {
    const ms = everyMs(plan.every);
    if (ms === undefined || ms < SHORTEST_EVERY_MS || ms > LONGEST_EVERY_MS)
      throw invalid(
        'every',
        'must be a duration of ISO 8601 of weeks, days, hours, minutes and seconds, from PT1M to P366D',
      );
    return;
  }
  if (plan.kind === 'at') return;
  const rule = plan.cron.length > 200 ? 'it is too long' : ruleOf(plan.cron);
  if (typeof rule === 'string')
    throw invalid('cron', `must have five fields, such as 0 9 * * mon-fri, or be @daily and the like: ${rule}`);
  if (rule.nextRun(new Date(0)) === null) throw invalid('cron', 'is never due');
}

/**
 * The first time of a plan after a moment; undefined if there is none. Times and moments are milliseconds since the epoch.
 *
 * @param zone of local times
 * @param anchor from which intervals are counted
 */
export function nextTime(plan: Plan, zone: string, after: number, anchor: number): number | undefined {
  if (plan.kind === 'at') return plan.at > after ? plan.at : undefined;
  if (plan.kind === 'cron') return nextLocal(plan.cron, zone, after);
  const every = everyMs(plan.every) ?? LONGEST_EVERY_MS;
  return after < anchor ? anchor + every : anchor + (Math.floor((after - anchor) / every) + 1) * every;
}

/** The next times of a plan after a moment, at most so many. */
export function nextTimes(plan: Plan, zone: string, after: number, count: number): readonly number[] {
  const times: number[] = [];
  for (let time = nextTime(plan, zone, after, after); time !== undefined && times.length < count;) {
    times.push(time);
    time = nextTime(plan, zone, time, after);
  }
  return times;
}

/**
 * Local times come in the order of their moments: those that do not exist count as the end of their gap, those that come
 * twice as the first. So the first one whose moment is later is the next.
 */
function nextLocal(cron: string, zone: string, after: number): number | undefined {
  const rule = ruleOf(cron);
  if (typeof rule === 'string') return undefined;
  let local: number | undefined = localTime(zone, after) - 1000;
  for (let steps = 0; steps < MOST_STEPS; steps += 1) {
    local = rule.nextRun(new Date(local))?.getTime();
    if (local === undefined) return undefined;
    const instant = instantOf(zone, local);
    if (instant > after) return instant;
  }
  return undefined;
}

/** Years and months have no fixed length, and are not read. */
function everyMs(text: string): number | undefined {
  const match = DURATION.exec(text);
  if (!match || text.endsWith('T') || text === 'P') return undefined;
  const [weeks, days, hours, minutes, seconds] = match.slice(1).map((part) => Number(part ?? 0));
  return (((((weeks ?? 0) * 7 + (days ?? 0)) * 24 + (hours ?? 0)) * 60 + (minutes ?? 0)) * 60 + (seconds ?? 0)) * 1000;
}

function invalid(field: string, problem: string): AppError {
  const message = `${field} ${problem}`;
  return new AppError('INVALID_PARAMETER', message, { details: [{ path: field, message }] });
}
