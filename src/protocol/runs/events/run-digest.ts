import { isPlainObject, type JsonObject } from '../../../common/index.js';
import { type LoggedEvent } from '../../../events/index.js';
import type { RetainedSummary, RunView } from '../../../run/index.js';
import { RunsEncoder } from './runs.encoder.js';
import { RunSnapshot } from './snapshot.encoder.js';

/** The name of this wire's digest. */
export const RUNS_DIGEST = 'runs';

/** What this wire keeps of a run whose events are removed (contract runs-api, section 5, rules 4 and 5). */
export interface KeptOfRun {
  /** The seq of its last event. */
  readonly lastSeq: number;
  /** The state as the run left it. */
  readonly state: JsonObject;
}

/** Counts the events of a run as this wire shows them, and follows its state. */
export class RunsDigest implements RetainedSummary {
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

/** What was kept of a run; undefined while its events are there, and for runs that earlier versions removed them of. */
export function keptOf({ retainedSummaries }: RunView): KeptOfRun | undefined {
  const kept = retainedSummaries?.[RUNS_DIGEST];
  if (!isPlainObject(kept)) return undefined;
  const { lastSeq, state } = kept;
  return typeof lastSeq === 'number' ? { lastSeq, state: isPlainObject(state) ? state : {} } : undefined;
}
