import type { RunWriter } from '../log/run-writer.js';
import type { RunRecord } from '../run-record.js';
import { RunSettings } from '../run.settings.js';
import type { RunControl } from './run-control.js';

/** Node runs timers of more milliseconds than this at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** Checks within the idle timeout: an idle run is stopped at most a quarter of it too late. */
const IDLE_CHECKS = 4;

/**
 * The two timeouts of an attempt: the time that the run may take in all, including earlier attempts but not the
 * time between them, and the time between two writes.
 */
export class RunTimeouts {
  private readonly timeout: NodeJS.Timeout;
  private readonly idle: NodeJS.Timeout;

  constructor(
    run: RunRecord,
    writer: RunWriter,
    control: RunControl,
    limits: Pick<RunSettings, 'timeoutMs' | 'idleTimeoutMs'>,
  ) {
    this.timeout = setTimeout(() => control.stop('timeout'), timer(limits.timeoutMs - run.usedMs));
    let writes = writer.writes;
    let idleChecks = 0;
    this.idle = setInterval(
      () => {
        idleChecks = writer.writes === writes ? idleChecks + 1 : 0;
        writes = writer.writes;
        if (idleChecks >= IDLE_CHECKS) control.stop('idle');
      },
      timer(limits.idleTimeoutMs / IDLE_CHECKS),
    );
  }

  /** Clears the timers. */
  stop(): void {
    clearTimeout(this.timeout);
    clearInterval(this.idle);
  }
}

function timer(milliseconds: number): number {
  return Math.max(0, Math.min(Math.ceil(milliseconds), LONGEST_TIMER_MS));
}
