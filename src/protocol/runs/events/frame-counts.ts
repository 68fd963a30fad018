import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../common/index.js';
import { Runs, type RunView } from '../../../run/index.js';
import { retainedOf } from './retained-summary.js';
import { RunsEncoder } from '../runs.encoder.js';

/** Runs whose count is remembered. */
const REMEMBERED = 512;

/** How far a run's log was counted. */
interface Count {
  readonly encoder: RunsEncoder;
  lastLog: number;
  /** Callers count one after the other. */
  turn: Promise<number>;
}

/**
 * Counts the events of this wire in a run's log. The encoder is kept while the run is not over, so that
 * only the events since the last count are read.
 */
@Injectable()
export class FrameCounts {
  private readonly counted = new Map<string, number>();
  private readonly growing = new Map<string, Count>();

  constructor(private readonly runs: Runs) {}

  /**
   * The seq of a run's last event as of the given view; 0 before its first.
   *
   * @throws AppError EVENTS_EXPIRED when the events were removed and had not been counted
   */
  async lastSeq(principal: Principal, run: RunView): Promise<number> {
    if (run.lastSeq < 0) return 0;
    const known = this.known(run);
    if (known !== undefined) return known;
    let count = this.growing.get(run.runId);
    if (!count) {
      count = { encoder: new RunsEncoder(run), lastLog: -1, turn: Promise.resolve(0) };
      remember(this.growing, run.runId, count);
    }
    const counting = count;
    count.turn = count.turn.catch(() => 0).then(() => this.count(principal, run, counting));
    const seq = await count.turn;
    if (run.finishedAt !== null) {
      this.growing.delete(run.runId);
      remember(this.counted, run.runId, seq);
    }
    return seq;
  }

  /** The seq of a finished run's last event when it was counted before: here, or when its events were removed. */
  known(run: RunView): number | undefined {
    if (run.finishedAt === null) return undefined;
    return retainedOf(run)?.lastSeq ?? this.counted.get(run.runId);
  }

  private async count(principal: Principal, run: RunView, count: Count): Promise<number> {
    if (count.lastLog >= run.lastSeq) return count.encoder.lastSeq;
    for await (const events of this.runs.tail(principal, run.runId, { after: count.lastLog, accepted: true })) {
      for (const event of events) {
        count.encoder.skip(event);
        count.lastLog = event.seq;
      }
      if (count.lastLog >= run.lastSeq) break;
    }
    return count.encoder.lastSeq;
  }
}

/** Adds to a map that forgets its oldest. */
function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > REMEMBERED && oldest !== undefined) map.delete(oldest);
}
