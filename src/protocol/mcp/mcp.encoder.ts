import type { JsonObject } from '../../common/index.js';
import type { LoggedEvent } from '../../events/index.js';
import type { FrameEncoder } from '../wire/frame-encoder.js';
import { type FoldContext, FIRST_RUN, type McpFold } from './fold/mcp-fold.js';

/** The keep-alive of streams. */
export const KEEP_ALIVE_FRAME = ': ka\n\n';

/** One stream of a call: what it has sent, over all its runs. */
export interface StreamProgress {
  /** Whether the request was answered. */
  hasResult: boolean;
}

/** How the messages of a run are written. */
export interface McpEncoderOptions {
  readonly fold: McpFold;
  /** Absent: the run is the first of its call. */
  readonly context?: (() => Promise<FoldContext>) | undefined;
  /** How many messages the client has. */
  readonly seen?: number;
  /** False: no event ids, because nothing can be resumed. */
  readonly hasIds?: boolean;
  readonly progress?: StreamProgress;
  /** What ends the stream of a client that cannot come back for the rest; absent: nothing. */
  readonly endsEarly?: boolean;
}

/** A run of a call as messages, each with the id `<run>.<n>` (contract mcp-server, section 3). */
export class McpEncoder implements FrameEncoder {
  readonly joinable = true;
  private count = 0;

  constructor(private readonly options: McpEncoderOptions) {
    if (!options.context) options.fold.context = FIRST_RUN;
  }

  prepare(): Promise<void> | undefined {
    const { fold, context } = this.options;
    if (fold.context || !context) return undefined;
    return context().then((found) => {
      fold.context = found;
    });
  }

  next(event: LoggedEvent): readonly string[] {
    const { fold, seen = 0, progress } = this.options;
    const frames: string[] = [];
    for (const { json, isResult } of fold.next(event)) {
      const frame = this.frame(json);
      if (isResult && progress) progress.hasResult = true;
      if (this.count > seen) frames.push(frame);
    }
    return frames;
  }

  end(): readonly string[] {
    return [];
  }

  /** A stream that cannot be resumed ends with what there is: the call continues, and its answer can be fetched. */
  shutdownFrame(): string {
    return this.options.endsEarly === true ? messageFrame(this.options.fold.early()) : '';
  }

  /** The answer for a client that cannot be kept waiting: what there is so far. */
  early(): JsonObject {
    return this.options.fold.early();
  }

  /** The frame of a message that no event of the log tells: the next of this run. */
  frame(json: JsonObject): string {
    const { fold, hasIds = true } = this.options;
    this.count += 1;
    return messageFrame(json, hasIds ? `${fold.options.runId}.${this.count}` : undefined);
  }
}

/** Tells a client where to resume, and after how many milliseconds. */
export function primerFrame(id: string, retryMs: number): string {
  return `id: ${id}\nretry: ${retryMs}\ndata: \n\n`;
}

/** A message as a frame. */
export function messageFrame(json: JsonObject, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: message\ndata: ${JSON.stringify(json)}\n\n`;
}
