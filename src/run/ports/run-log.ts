import type { JsonObject } from '../../common/index.js';
import type { AskedInterrupt, AuditNote } from '../../interrupt/index.js';
import type { ErrorModel, LoggedEvent, Message, Usage } from '../../events/index.js';
import type { RunState } from '../run.types.js';

/** A journal entry that is written with the events of the same turn. */
export interface StepWrite {
  readonly key: string;
  readonly status: 'begun' | 'finished';
  readonly inputHash: string;
  readonly output: JsonObject | null;
  readonly messageIds: readonly string[];
}

/** How a run ends: written in one transaction with its terminal event. */
export interface RunEnd {
  readonly state: Exclude<RunState, 'queued' | 'running'>;
  readonly error: ErrorModel | null;
  readonly usage: Usage | null;
  /** What the run adds to the session's messages at its end: those that did not join before. */
  readonly output: readonly Message[];
  /** The session's new shared state, when the run changed it. */
  readonly sessionState: JsonObject | undefined;
  /** The questions to people that the run ends with. */
  readonly asked?: readonly AskedInterrupt[];
}

/** What one run adds to its log in one commit. */
export interface LogWrite {
  readonly runRowId: number;
  readonly sessionRowId: number;
  readonly runOrdinal: number;
  readonly fence: number;
  /** The number of the first line; equal to the number of events committed so far. */
  readonly firstSeq: number;
  /** Canonical JSON of each event. */
  readonly lines: readonly string[];
  readonly steps: readonly StepWrite[];
  /** Messages that are final and join the session now, together with an event or a step that makes them so. */
  readonly messages?: readonly Message[];
  /** Lines for the audit trail. */
  readonly notes?: readonly AuditNote[];
  readonly end: RunEnd | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The append-only, gap-free log of every run. It is the truth; everything else is derived. */
export abstract class RunLog {
  /**
   * Commits the writes together. The answer tells for each whether it was written: false when its
   * fence is no longer the run's, and then nothing of it was.
   *
   * @throws the driver's error; then nothing is known of any of them until `committed` is asked
   */
  abstract append(writes: readonly LogWrite[]): Promise<readonly boolean[]>;

  /**
   * After a failed `append`: whether this write was committed all the same. Of a write without
   * events it is not known; it answers false, and such a write may be made twice.
   */
  abstract committed(write: LogWrite): Promise<boolean>;

  /** Committed events from a number on, in order: at most about `limit` (whole chunks are read). */
  abstract read(runRowId: number, fromSeq: number, limit: number): Promise<readonly LoggedEvent[]>;
}
