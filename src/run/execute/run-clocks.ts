import type { RunWriter } from '../log/run-writer.js';
import type { RunRecord } from '../ports/run-store.js';
import { RunSettings } from '../run.settings.js';
import type { RunControl } from './run-control.js';

/** Timers of more milliseconds than this fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** Silence is noticed after the limit, and after a quarter of it more at the latest. */
const IDLE_LOOKS = 4;

/**
 * The two clocks of an attempt: the time that the run may take in all, of which earlier attempts have
 * used their part (the time in between does not count), and the silence between two writes.
 */
export class RunClocks {
  private readonly timeout: NodeJS.Timeout;
  private readonly idle: NodeJS.Timeout;

  constructor(
    run: RunRecord,
    writer: RunWriter,
    control: RunControl,
    limits: Pick<RunSettings, 'timeoutMs' | 'idleTimeoutMs'>,
  ) {
    const now = Date.now();
    const used = run.usedMs + Math.max(0, now - (run.claimedAt ?? now));
    this.timeout = setTimeout(() => control.stop('timeout'), timer(limits.timeoutMs - used));
    let writes = writer.writes;
    let silentLooks = 0;
    this.idle = setInterval(
      () => {
        silentLooks = writer.writes === writes ? silentLooks + 1 : 0;
        writes = writer.writes;
        if (silentLooks >= IDLE_LOOKS) control.stop('idle');
      },
      timer(limits.idleTimeoutMs / IDLE_LOOKS),
    );
  }

  /** The attempt is over. */
  stop(): void {
    clearTimeout(this.timeout);
    clearInterval(this.idle);
  }
}

function timer(milliseconds: number): number {
  return Math.max(0, Math.min(Math.ceil(milliseconds), LONGEST_TIMER_MS));
}
