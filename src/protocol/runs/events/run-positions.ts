import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../common/index.js';
import { Runs, type RunView } from '../../../run/index.js';
import { keptOf } from './run-digest.js';
import { RunsEncoder } from './runs.encoder.js';

/** Runs whose count is remembered. */
const KEPT = 512;

/** How far a run's log was counted. */
interface Position {
  readonly encoder: RunsEncoder;
  lastLog: number;
  /** Callers count one after the other. */
  turn: Promise<number>;
}

/**
 * Tells how many events of this wire a run's log has: the encoder counts, and goes on where it stopped
 * when the log has grown.
 */
@Injectable()
export class RunPositions {
  private readonly counted = new Map<string, number>();
  private readonly growing = new Map<string, Position>();

  constructor(private readonly runs: Runs) {}

  /**
   * The seq of a run's last event as of the given view; 0 before its first.
   *
   * @throws AppError EVENTS_EXPIRED when the log is no longer kept and nobody counted it
   */
  async lastSeq(principal: Principal, run: RunView): Promise<number> {
    if (run.lastSeq < 0) return 0;
    const known = this.known(run);
    if (known !== undefined) return known;
    let position = this.growing.get(run.runId);
    if (!position) {
      position = { encoder: new RunsEncoder(run), lastLog: -1, turn: Promise.resolve(0) };
      keep(this.growing, run.runId, position);
    }
    const counting = position;
    position.turn = position.turn.catch(() => 0).then(() => this.count(principal, run, counting));
    const seq = await position.turn;
    if (run.finishedAt !== null) {
      this.growing.delete(run.runId);
      keep(this.counted, run.runId, seq);
    }
    return seq;
  }

  /** The seq of a finished run's last event when it was counted before: here, or when its events were removed. */
  known(run: RunView): number | undefined {
    if (run.finishedAt === null) return undefined;
    return keptOf(run)?.lastSeq ?? this.counted.get(run.runId);
  }

  private async count(principal: Principal, run: RunView, position: Position): Promise<number> {
    if (position.lastLog >= run.lastSeq) return position.encoder.lastSeq;
    for await (const events of this.runs.tail(principal, run.runId, { after: position.lastLog, accepted: true })) {
      for (const event of events) {
        position.encoder.next(event);
        position.lastLog = event.seq;
      }
      if (position.lastLog >= run.lastSeq) break;
    }
    return position.encoder.lastSeq;
  }
}

/** Adds to a map that forgets its oldest. */
function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > KEPT && oldest !== undefined) map.delete(oldest);
}
