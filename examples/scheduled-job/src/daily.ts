const DAY_MS = 24 * 60 * 60 * 1000;

/** A job that is called once a day. */
export interface DailyJob {
  /** Stops the schedule; a call in progress ends by itself. */
  stop(): void;
}

/** The milliseconds until the next time of day in UTC. @param time such as `06:00` */
export function untilNext(time: string, now: number): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  const today = Math.floor(now / DAY_MS) * DAY_MS + (hours * 60 + minutes) * 60 * 1000;
  return today > now ? today - now : today + DAY_MS - now;
}

/** Calls a job at once, and then every day at a time in UTC. The job must tolerate being called twice on the same day. */
export function daily(time: string, job: (day: string) => Promise<void>): DailyJob {
  let timer: NodeJS.Timeout | undefined;
  const call = (): void => {
    const now = Date.now();
    timer = setTimeout(call, untilNext(time, now));
    job(new Date(now).toISOString().slice(0, 10)).catch((error: unknown) => console.error(error));
  };
  call();
  return { stop: () => clearTimeout(timer) };
}
