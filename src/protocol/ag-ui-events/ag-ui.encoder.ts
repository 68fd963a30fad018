import type { LoggedEvent } from '../../events/index.js';
import { dataFrame, eventFrame } from '../http/frames.js';
import type { FrameEncoder } from '../wire/frame-encoder.js';
import { AgUiFold, type AgUiFoldOptions } from './ag-ui-fold.js';
import type { AgUiEvent, AgUiMessage } from './ag-ui.types.js';
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
  /** Reads the thread's messages before this run's own. Called only when a snapshot of them is due. */
  readonly history?: () => Promise<readonly AgUiMessage[]>;
  /** Writes an event in another form than an SSE frame with an id. */
  readonly frameOf?: (event: AgUiEvent) => string;
}

/**
 * A run as AG-UI frames: `id: <frames so far>` and one line of JSON. The ids count from 1, so the id of the
 * last frame a client has is the number of frames it has seen. There is no final `[DONE]`, on which clients
 * fail (contract ag-ui, section 0, rule 3).
 */
export class AgUiEncoder implements FrameEncoder {
  readonly joinable = true;
  private readonly fold: AgUiFold;
  private count = 0;
  private discarded = 0;
  private hasHistory = false;

  constructor(private readonly options: AgUiEncoderOptions) {
    this.fold = new AgUiFold(options);
  }

  discardFirst(frames: number): void {
    this.discarded = frames;
  }

  prepare(events: readonly LoggedEvent[]): Promise<void> | undefined {
    const { history } = this.options;
    if (!history || this.hasHistory || !events.some((event) => AgUiFold.needsHistory(event))) return undefined;
    this.hasHistory = true;
    return history().then((messages) => {
      this.fold.history = messages;
    });
  }

  next(event: LoggedEvent): readonly string[] {
    return this.fold.next(event).map((shown) => {
      this.count += 1;
      return this.count <= this.discarded ? '' : this.frame(shown, String(this.count));
    });
  }

  end(): readonly string[] {
    return [];
  }

  /** Without an id: a client resumes after the last event that has one. */
  shutdownFrame(): string {
    return this.frame(SHUTDOWN_EVENT);
  }

  private frame(event: AgUiEvent, id?: string): string {
    const { frameOf, keyCase = 'camel', runId } = this.options;
    if (frameOf) return frameOf(event);
    const data = JSON.stringify(withKeyCase(event, keyCase, runId));
    return id === undefined ? dataFrame(data) : eventFrame(data, { id });
  }
}
