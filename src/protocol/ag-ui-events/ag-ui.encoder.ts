import type { LoggedEvent } from '../../events/index.js';
import type { FrameEncoder } from '../wire/frame-encoder.js';
import { dataFrame, eventFrame } from '../http/frames.js';
import { AgUiFold, type AgUiFoldOptions } from './ag-ui-fold.js';
import type { AgUiEvent, AgUiMessage } from './ag-ui.types.js';
import { CLOSING_EVENT } from './closing-event.js';
import { type KeyCase, withKeyCase } from './output-keys.js';

/** How the encoder writes. */
export interface AgUiEncoderOptions extends AgUiFoldOptions {
  /** Default `camel`. */
  readonly keyCase?: KeyCase;
  /** The thread's messages before this run's own; asked for only when a snapshot of them is due. */
  readonly history?: () => Promise<readonly AgUiMessage[]>;
  /** Writes one event in another way than as an SSE frame. */
  readonly frameOf?: (event: AgUiEvent) => string;
}

/**
 * A run as AG-UI frames: `id: <frames so far>` and one line of JSON. The ids count from 1, so the id
 * of the last frame a client has is how many it has seen. No `[DONE]` ends the stream: it would kill
 * the clients (contract ag-ui, section 0).
 */
export class AgUiEncoder implements FrameEncoder {
  readonly joinable = true;
  private readonly fold: AgUiFold;
  private count = 0;
  private hasHistory = false;

  constructor(private readonly options: AgUiEncoderOptions) {
    this.fold = new AgUiFold(options);
  }

  /** Fetches what the events will need beside themselves; undefined when that is nothing. */
  prepare(events: readonly LoggedEvent[]): Promise<void> | undefined {
    const { history } = this.options;
    if (!history || this.hasHistory || !events.some((event) => AgUiFold.needsHistory(event))) return undefined;
    this.hasHistory = true;
    return history().then((messages) => {
      this.fold.history = messages;
    });
  }

  next(event: LoggedEvent): readonly string[] {
    return this.fold.next(event).map((shown) => this.frame(shown));
  }

  end(): readonly string[] {
    return [];
  }

  /** Without an id: a client that comes again names the last event it has. */
  shutdownFrame(): string {
    const { frameOf, keyCase = 'camel', runId } = this.options;
    if (frameOf) return frameOf(CLOSING_EVENT);
    return dataFrame(JSON.stringify(withKeyCase(CLOSING_EVENT, keyCase, runId)));
  }

  private frame(event: AgUiEvent): string {
    this.count += 1;
    const { frameOf, keyCase = 'camel', runId } = this.options;
    if (frameOf) return frameOf(event);
    return eventFrame(JSON.stringify(withKeyCase(event, keyCase, runId)), { id: String(this.count) });
  }
}
