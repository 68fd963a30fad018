import { Injectable } from '@nestjs/common';
import { userReach } from '../../../common/index.js';
import { Runs, type RunView } from '../../../run/index.js';
import { RunsEncoder } from '../runs.encoder.js';
import { retainedOf } from './retained-summary.js';

/** Runs whose count is remembered. */
const REMEMBERED = 512;

/** Milliseconds for which an unused encoder is kept: longer than clients wait between two looks at a run. */
const KEPT_MS = 5000;

/** How far a run's log was counted. */
interface Count {
  readonly encoder: RunsEncoder;
  lastLog: number;
  /** Callers count one after the other. */
  turn: Promise<number>;
  /** When it was last used, by `performance.now()`. */
  usedAt: number;
}

/**
 * Counts the events of this wire in a run's log. One event of the log is shown as none, one or several, so the numbers of
 * the log do not tell. Compaction stores the count of an ended run with it; until then the log is folded, without writing
 * frames. The fold of a run that has not ended is kept while clients look at the run, so that only new events are read.
 */
@Injectable()
export class FrameCounts {
  private readonly counted = new Map<string, number>();
  /** By run, the last used one at the end. */
  private readonly growing = new Map<string, Count>();
  /** Set while there are encoders. */
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly runs: Runs) {}

  /**
   * The seq of a run's last event as of the given view; 0 before its first.
   *
   * @throws AppError EVENTS_EXPIRED when the events were removed and had not been counted
   */
  async lastSeq(run: RunView): Promise<number> {
    if (run.lastSeq < 0) return 0;
    const known = this.known(run);
    if (known !== undefined) return known;
    const key = keyOf(run);
    let count = this.growing.get(key);
    if (!count) {
      count = { encoder: new RunsEncoder(run), lastLog: -1, turn: Promise.resolve(0), usedAt: 0 };
    }
    count.usedAt = performance.now();
    this.growing.delete(key);
    remember(this.growing, key, count);
    this.timer ??= this.forgetAfter(KEPT_MS);
    const counting = count;
    count.turn = count.turn.catch(() => 0).then(() => this.count(run, counting));
    const seq = await count.turn;
    if (run.finishedAt !== null) {
      this.growing.delete(key);
      remember(this.counted, key, seq);
    }
    return seq;
  }

  /** The seq of a finished run's last event when it was counted before: here, or when its events were removed. */
  known(run: RunView): number | undefined {
    if (run.finishedAt === null) return undefined;
    return retainedOf(run)?.lastSeq ?? this.counted.get(keyOf(run));
  }

  private async count(run: RunView, count: Count): Promise<number> {
    if (count.lastLog >= run.lastSeq) return count.encoder.lastSeq;
    for await (const events of this.runs.tail(userReach(run), run.runId, { after: count.lastLog, accepted: true })) {
      for (const event of events) {
        count.encoder.skip(event);
        count.lastLog = event.seq;
      }
      if (count.lastLog >= run.lastSeq) break;
    }
    return count.encoder.lastSeq;
  }

  /** Forgets unused encoders, again and again while there are any. */
  private forgetAfter(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.timer = undefined;
      const now = performance.now();
      for (const [key, { usedAt }] of this.growing) {
        if (usedAt + KEPT_MS > now) {
          this.timer = this.forgetAfter(usedAt + KEPT_MS - now);
          return;
        }
        this.growing.delete(key);
      }
    }, milliseconds).unref();
  }
}

/** Run ids are unique for each owner only. */
function keyOf({ tenantId, userId, runId }: RunView): string {
  return JSON.stringify([tenantId, userId, runId]);
}

/** Adds to a map that forgets its oldest. */
function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > REMEMBERED && oldest !== undefined) map.delete(oldest);
}
