import type { JsonObject } from '../../../common/index.js';
import type { LoggedEvent } from '../../../events/index.js';
import type { RunView } from '../../../run/index.js';
import { type AgUiEvent, AgUiFold, type AgUiMessage } from '../../ag-ui-events/index.js';
import type { FrameEncoder } from '../../wire/frame-encoder.js';
import { clientRunId, errorNameOf } from '../run-names.js';
import { formatEventId } from './event-id.js';

/** After so many milliseconds a client whose connection broke shall come again. */
const RETRY_MS = 1000;

/** From where on a run is shown. */
export interface RunsEncoderOptions {
  /** Events up to this one are counted and not written; 0, the default, for none. */
  readonly after?: number;
  /** Events up to this number of the log are counted and not written. */
  readonly afterLog?: number;
}

/**
 * The Runs API's view of a run (contract runs-api, section 5): AG-UI events, each with the id
 * `<ordinal>-<seq>` and the time of its commit. Seqs count from 1 without a gap, so the same log gives
 * the same bytes from every cursor.
 */
export class RunsEncoder implements FrameEncoder {
  readonly joinable = true;
  private readonly fold: AgUiFold;
  private count = 0;
  private retryWritten = false;

  constructor(
    private readonly run: RunView,
    private readonly options: RunsEncoderOptions = {},
  ) {
    const input = run.wireData['input'];
    this.fold = new AgUiFold({
      threadId: run.sessionId,
      runId: clientRunId(run),
      generation: 'v1',
      ...(run.parentRunId !== null && { parentRunId: run.parentRunId }),
      ...(run.wire === 'runs' && input !== undefined && { input: input as JsonObject }),
    });
  }

  /** The seq of the last event, counted whether or not it was written; 0 before the first. */
  get lastSeq(): number {
    return this.count;
  }

  /** What the thread held before this run's output: for the events for which `AgUiFold.needsHistory` is true. */
  set history(messages: readonly AgUiMessage[]) {
    this.fold.history = messages;
  }

  next(logged: LoggedEvent): readonly string[] {
    const frames: string[] = [];
    const isHidden = logged.seq <= (this.options.afterLog ?? -1);
    for (const event of this.fold.next(logged)) {
      this.count += 1;
      if (!isHidden && this.count > (this.options.after ?? 0)) frames.push(this.frame(event, logged.at));
    }
    return frames;
  }

  /** Counts an event that is not written. */
  skip(logged: LoggedEvent): void {
    this.count += this.fold.next(logged).length;
  }

  end(): readonly string[] {
    return [];
  }

  /** Its clients come again; soon, when the server says so. */
  shutdownFrame(): string {
    return 'retry: 500\n\n';
  }

  /** An event that stands for what came before: it has the id of the last one and is not counted. */
  frame(event: AgUiEvent, at: number, seq = this.count): string {
    const id = formatEventId({ ordinal: this.run.ordinal, seq });
    const retry = this.retryWritten ? '' : `retry: ${RETRY_MS}\n`;
    this.retryWritten = true;
    return `id: ${id}\n${retry}data: ${JSON.stringify({ ...named(event), timestamp: at })}\n\n`;
  }
}

function named(event: AgUiEvent): AgUiEvent {
  return event.type === 'RUN_ERROR' ? { ...event, code: errorNameOf(event.code) } : event;
}
