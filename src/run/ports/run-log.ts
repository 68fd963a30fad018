import type { JsonObject } from '../../common/index.js';
import type { Transaction } from '../../database/index.js';
import type { ErrorModel, EventKind, LoggedEvent, Message, Usage } from '../../events/index.js';
import type { AskedInterrupt, AuditNote } from '../../agent/interrupt/index.js';
import type { MessageStates } from '../../agent/session/index.js';
import type { SettledCall } from '../../usage/index.js';
import type { RunRecord, RunVisibility } from '../run-record.js';
import type { RunState } from '../run.types.js';

/** A step of a run's journal. */
export interface JournalStep {
  readonly key: string;
  readonly status: 'begun' | 'finished';
  readonly inputHash: string;
  /** What it resulted in; of a step that was begun, why it failed, if that is known. */
  readonly output: JsonObject | null;
  readonly messageIds: readonly string[];
  /** When it was begun, in milliseconds since the epoch; absent if unknown. A stored value stays. */
  readonly startedAt?: number;
  /** When it was written last; absent of a step that is to be written. */
  readonly updatedAt?: number;
}

/** How a run ends: written in one transaction with its terminal event. */
export interface RunEnd {
  readonly state: Exclude<RunState, 'queued' | 'running'>;
  readonly error: ErrorModel | null;
  readonly usage: Usage | null;
  /** The model that has made its newest answer; null or absent if none has. */
  readonly answeredBy?: string | null;
  /** The messages that the run adds to the session at its end: those that were not added before. */
  readonly output: readonly Message[];
  /** The session's new shared state, when the run changed it. */
  readonly sessionState: JsonObject | undefined;
  /** The interrupts that the run ends with. */
  readonly asked?: readonly AskedInterrupt[];
}

/** What one run adds to its log in one commit. */
export interface LogWrite {
  /** The run as this process claimed it: its fence guards the write. */
  readonly run: RunRecord;
  /** The number of the first line; equal to the number of events committed so far. */
  readonly firstSeq: number;
  /** Canonical JSON of each event. */
  readonly lines: readonly string[];
  readonly steps: readonly JournalStep[];
  /** Messages that join the session now, together with the event or step that makes them final. */
  readonly messages?: readonly Message[];
  /** The provider states of messages that join the session now or at the end. */
  readonly states?: MessageStates;
  /** Model calls that are over: their ends are booked. */
  readonly spent?: readonly SettledCall[];
  /** Entries for the audit log. */
  readonly notes?: readonly AuditNote[];
  readonly end: RunEnd | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Which events to select from a log. */
export interface EventSelection {
  readonly kinds: readonly EventKind[];
  /** Only events with a greater number; default: all. */
  readonly after?: number;
  /** Only events with a smaller number; default: all. */
  readonly before?: number;
  readonly order: 'asc' | 'desc';
  /** How many commits are read at most. */
  readonly limit: number;
}

/** Events of a log that are stored as one row. */
export interface LogChunk {
  /** The number of the first event. */
  readonly fromSeq: number;
  /** The number of the last event. */
  readonly toSeq: number;
  /** Undefined if they cannot be decrypted. */
  readonly events: readonly LoggedEvent[] | undefined;
}

/** What a write finds out about its run. */
export interface WrittenRun {
  readonly visibility: RunVisibility;
  readonly cancelRequested: boolean;
}

/** The append-only, gap-free logs and the journals of runs. */
export abstract class RunLog {
  /**
   * Appends the events, the steps and the end of one write. Its messages, notes and interrupts belong to
   * other stores.
   *
   * @returns undefined, and writes nothing, when the fence or the end of the log is no longer the write's
   */
  abstract append(tx: Transaction, write: LogWrite): Promise<WrittenRun | undefined>;

  /** Appends writes that hold only events. Returns for each whether it was written, as `append`. */
  abstract appendEvents(tx: Transaction, writes: readonly LogWrite[]): Promise<readonly boolean[]>;

  /**
   * Whether a write was committed although its commit failed. Unknown for a write without events: false,
   * and such a write may be repeated.
   */
  abstract committed(write: LogWrite): Promise<boolean>;

  /**
   * How many events of a running run are committed; undefined if it is not running under this fence any more. Less than
   * what was committed under the fence before: the database has lost commits, as after a failover.
   */
  abstract held(run: RunRecord): Promise<number | undefined>;

  /** Committed events from a number on, in order: about `limit` at most (whole chunks are read). */
  abstract read(runRowId: number, fromSeq: number, limit: number): Promise<readonly LoggedEvent[]>;

  /**
   * The events from a number on of the row that holds it, or of the first row after it; undefined without such a row. For
   * readers of whole logs, whom a row that cannot be decrypted must not stop.
   */
  abstract readChunk(runRowId: number, fromSeq: number): Promise<LogChunk | undefined>;

  /**
   * Committed events of some kinds between two numbers, in order or backwards: those of about `limit` commits that
   * hold such events. Nothing else is read.
   */
  abstract select(runRowId: number, query: EventSelection): Promise<readonly LoggedEvent[]>;

  /**
   * The state with which a run began, if it has shown or changed it; undefined if it has not, or if its events were
   * removed.
   */
  abstract stateBefore(tx: Transaction, runRowId: number): Promise<JsonObject | undefined>;

  /** How many events of a run are committed; undefined if the run was removed. */
  abstract length(runRowId: number): Promise<number | undefined>;

  /** The journal of a run. */
  abstract steps(runRowId: number): Promise<readonly JournalStep[]>;

  /** Removes the events of runs and their journals. */
  abstract remove(tx: Transaction, runRowIds: readonly number[]): Promise<void>;

  /** Removes the journal of a run that has ended and its events except the last. Returns how many events were removed. */
  abstract removeAllButLast(tx: Transaction, run: RunRecord): Promise<number>;
}
