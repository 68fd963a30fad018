import type { JsonObject } from '../../common/index.js';
import type { LoggedEvent } from '../../events/index.js';
import type { RunView } from '../../run/index.js';
import { type AgUiEvent, AgUiFold, type AgUiMessage, eventJson } from '../ag-ui-events/index.js';
import type { FrameEncoder } from '../wire/frame-encoder.js';
import { formatEventId } from './events/event-id.js';
import { clientRunId, errorNameOf } from './run-names.js';

/** Milliseconds after which a client reconnects whose connection broke. */
const RETRY_MS = 1000;
/** Tells a client of a server that stops to reconnect soon: another instance, or the next start, answers. */
export const SHUTDOWN_FRAME = 'retry: 500\n\n';

/** How a run is shown. */
export interface RunsEncoderOptions {
  /** Reads the messages of the thread before this run's output. Absent: there are none. */
  readonly history?: () => Promise<readonly AgUiMessage[]>;
  /** The events up to this number of the log are counted and not shown. Default: all are shown. */
  readonly hiddenUpTo?: number;
  /** True once the server stops. A run that ends then is followed by the shutdown frame, too. */
  readonly isStopping?: () => boolean;
  /**
   * True when the frames are counted by another route: `retry` is then part of the run's first frame, and not
   * of the first one that is written.
   */
  readonly isAttached?: boolean;
}

/**
 * The Runs API's view of a run (contract runs-api, section 5): AG-UI events, each with the id
 * `<ordinal>-<seq>` and the time of its commit. Seqs count from 1 without a gap, so the same log gives
 * the same bytes from every cursor.
 */
export class RunsEncoder implements FrameEncoder {
  /** Clients parse the stream by lines, so frames may share one write. */
  readonly joinable = true;
  /** Absent where the frames depend on when the reader came. */
  readonly variant?: string;
  private readonly fold: AgUiFold;
  /** Events so far, whether they were shown or not. */
  private count = 0;
  /** How many events the client already has; they are encoded as ''. */
  private discarded = 0;

  constructor(
    private readonly run: RunView,
    private readonly options: RunsEncoderOptions = {},
  ) {
    if (options.hiddenUpTo === undefined) this.variant = options.isAttached ? 'runs, attached' : 'runs';
    const input = run.wireData['input'];
    this.fold = new AgUiFold({
      threadId: run.sessionId,
      runId: clientRunId(run),
      generation: 'v1',
      ...(options.history && { history: options.history }),
      ...(run.parentRunId !== null && { parentRunId: run.parentRunId }),
      ...(run.wire === 'runs' && input !== undefined && { input: input as JsonObject }),
    });
  }

  /** The seq of the last event, counted whether or not it was shown; 0 before the first. */
  get lastSeq(): number {
    return this.count;
  }

  /** Skips the events that the client already has: `next` then yields '' in their place. */
  discardFirst(frames: number): void {
    this.discarded = frames;
  }

  /** Reads the thread's history once, before the first event that may need a snapshot of it. */
  prepare(events: readonly LoggedEvent[]): Promise<void> | undefined {
    return this.fold.prepare(events);
  }

  /** The frames of one event of the log; none up to `hiddenUpTo`. */
  next(logged: LoggedEvent): readonly string[] {
    if (logged.seq <= (this.options.hiddenUpTo ?? -1)) {
      this.skip(logged);
      return [];
    }
    const frames: string[] = [];
    for (const event of this.fold.next(logged)) {
      this.count += 1;
      frames.push(this.count > this.discarded ? this.nextFrame(event, logged.at) : '');
    }
    return frames;
  }

  /** Counts the events that one of the log is shown as, without showing them. */
  skip(logged: LoggedEvent): void {
    this.count += this.fold.next(logged).length;
  }

  /** The shutdown frame when the server is stopping, so that followers of a thread reconnect soon. */
  end(): readonly string[] {
    return this.options.isStopping?.() ? [SHUTDOWN_FRAME] : [];
  }

  /** Adds the reconnection delay to the first frame; a run watched over another route has it in its first event. */
  firstFrame(frame: string): string {
    return this.options.isAttached ? frame : withRetry(frame);
  }

  private nextFrame(event: AgUiEvent, at: number): string {
    const frame = this.frame(event, at);
    return this.options.isAttached && this.count === 1 ? withRetry(frame) : frame;
  }

  /** The frame of an event that stands for those before it: it has the id of the last one and is not counted. */
  frame(event: AgUiEvent, at: number, seq = this.count): string {
    const id = formatEventId({ ordinal: this.run.ordinal, seq });
    return `id: ${id}\ndata: ${eventJson(named(event), `,"timestamp":${at}`)}\n\n`;
  }
}

function withRetry(frame: string): string {
  return frame.replace('\n', `\nretry: ${RETRY_MS}\n`);
}

/** RUN_ERROR carries the error names of the Runs API, not those of the core. */
function named(event: AgUiEvent): AgUiEvent {
  return event.type === 'RUN_ERROR' ? { ...event, code: errorNameOf(event.code) } : event;
}
