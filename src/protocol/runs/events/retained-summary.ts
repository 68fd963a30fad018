import { isPlainObject, type JsonObject } from '../../../common/index.js';
import { type LoggedEvent } from '../../../events/index.js';
import type { RetainedSummary, RunView } from '../../../run/index.js';
import { RunsEncoder } from '../runs.encoder.js';
import { RunSnapshot } from './snapshot.encoder.js';

/** The name of this wire's summary. */
export const RUNS_SUMMARY = 'runs';

/** What this wire retains of a run whose events are removed (contract runs-api, section 5, rules 4 and 5). */
export interface RetainedRun {
  /** The seq of its last event. */
  readonly lastSeq: number;
  /** The state as the run left it. */
  readonly state: JsonObject;
}

/** Counts the events of a run as this wire shows them, and follows its state. */
export class RunsRetainedSummary implements RetainedSummary {
  private readonly encoder: RunsEncoder;
  private readonly snapshot: RunSnapshot;

  constructor(run: RunView) {
    this.encoder = new RunsEncoder(run);
    this.snapshot = new RunSnapshot(run);
  }

  take(event: LoggedEvent): void {
    this.encoder.skip(event);
    this.snapshot.take(event);
  }

  result(): JsonObject {
    return { lastSeq: this.encoder.lastSeq, state: this.snapshot.state };
  }
}

/** What was retained of a run; undefined where that was not necessary yet, and where an earlier version removed the events. */
export function retainedOf({ retainedSummaries }: RunView): RetainedRun | undefined {
  const retained = retainedSummaries?.[RUNS_SUMMARY];
  if (!isPlainObject(retained)) return undefined;
  const { lastSeq, state } = retained;
  return typeof lastSeq === 'number' ? { lastSeq, state: isPlainObject(state) ? state : {} } : undefined;
}
