import type { LoggedEvent } from '../../events/index.js';
import { dataFrame, eventFrame } from '../http/sse/frames.js';
import type { FrameEncoder } from '../wire/frame-encoder.js';
import { AgUiFold, type AgUiFoldOptions } from './ag-ui-fold.js';
import type { AgUiEvent } from './ag-ui.types.js';
import { eventJson } from './event-json.js';
import { type KeyCase, withKeyCase } from './key-case.js';

/**
 * The last event of a stream that the server ends to shut down: without it a client would take the end of the
 * stream for the end of the run, which continues (contract ag-ui, section 0, rule 5).
 */
export const SHUTDOWN_EVENT: AgUiEvent = {
  type: 'RUN_ERROR',
  message: 'The server is shutting down; the run continues',
  code: 'SHUTTING_DOWN',
};

/** How the encoder writes. */
export interface AgUiEncoderOptions extends AgUiFoldOptions {
  /** Default `camel`. */
  readonly keyCase?: KeyCase;
  /** Writes an event in another form than an SSE frame with an id: as one frame. */
  readonly frameOf?: (event: AgUiEvent) => string;
  /** As `frameOf`, for a form that writes some events as several frames. Takes precedence. */
  readonly framesOf?: (event: AgUiEvent) => readonly string[];
}

/**
 * A run as AG-UI frames: `id: <frames so far>` and one line of JSON. The ids count from 1, so the id of the
 * last frame a client has is the number of frames it has seen. There is no final `[DONE]`, on which clients
 * fail (contract ag-ui, section 0, rule 3).
 */
export class AgUiEncoder implements FrameEncoder {
  /** Clients of AG-UI parse the stream by lines, so frames may share one write. */
  readonly joinable = true;
  /** Absent for other forms than SSE frames with ids: a client that has no ids cannot resume. */
  readonly variant?: string;
  private readonly fold: AgUiFold;
  /** Frames so far, discarded ones included. */
  private count = 0;
  /** How many frames the client already has; they are encoded as '' and never formatted. */
  private discarded = 0;

  constructor(private readonly options: AgUiEncoderOptions) {
    const { frameOf, framesOf, generation, keyCase = 'camel' } = options;
    if (!frameOf && !framesOf) this.variant = `ag-ui ${generation} ${keyCase}`;
    this.fold = new AgUiFold(options);
  }

  /** Skips the frames that the client already has: `next` then yields '' in their place. */
  discardFirst(frames: number): void {
    this.discarded = frames;
  }

  /** Reads the thread's history once, before the first event that may need a snapshot of it. */
  prepare(events: readonly LoggedEvent[]): Promise<void> | undefined {
    return this.fold.prepare(events);
  }

  /** The frames of one event of the log, each with the next id. */
  next(event: LoggedEvent): readonly string[] {
    const { framesOf } = this.options;
    // Nothing is saved for the frames that the client has: the caller counts them and leaves them out.
    if (framesOf) return this.fold.next(event).flatMap(framesOf);
    return this.fold.next(event).map((shown) => {
      this.count += 1;
      return this.count <= this.discarded ? '' : this.frame(shown, String(this.count));
    });
  }

  /** Nothing: RUN_FINISHED or RUN_ERROR is the last frame. */
  end(): readonly string[] {
    return [];
  }

  /** Without an id: a client resumes after the last event that has one. */
  shutdownFrame(): string {
    const { framesOf } = this.options;
    return framesOf ? framesOf(SHUTDOWN_EVENT).join('') : this.frame(SHUTDOWN_EVENT);
  }

  /** One frame; without an id for events that do not count. */
  private frame(event: AgUiEvent, id?: string): string {
    const { frameOf, keyCase = 'camel', runId } = this.options;
    if (frameOf) return frameOf(event);
    const data = keyCase === 'camel' ? eventJson(event) : JSON.stringify(withKeyCase(event, keyCase, runId));
    return id === undefined ? dataFrame(data) : eventFrame(data, { id });
  }
}
