import { Injectable } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { type AbortLike } from '../../common/index.js';
import { withinTime } from '../../runtime/index.js';
import type { RunView } from '../../run/index.js';
import type { StreamClient } from '../http/index.js';
import { type NextRun, RunStreams } from '../wire/index.js';
import { CallFolds } from './call-folds.js';
import type { FoldMessage, McpFold } from './fold/mcp-fold.js';
import { McpEncoder, messageFrame, primerFrame, type StreamProgress } from './mcp.encoder.js';
import { McpServerSettings } from './mcp-server.settings.js';
import { McpWire } from './mcp.wire.js';
import type { CallData } from './mcp.types.js';
import { errorAnswer, rpcError } from './mcp.errors.js';
import { NextRuns } from './next-runs.js';

/** The frames of a stream, in batches that are written at once. */
export type Frames = Observable<readonly string[]>;

/** Milliseconds of silence after which an answer becomes a stream. */
export const SILENCE_MS = 5000;

/** Whether a client reads an event without a message: those of the revisions before cannot. */
export function hasPrimer({ version }: Pick<CallData, 'version'>): boolean {
  return version === '2025-11-25';
}

const CREDENTIAL_ENDED = { status: 401, code: 'AUTH_FAILED', message: 'The credential has ended' } as const;

/** What is known of a call after a time without a message for its client. */
export interface Quiet {
  /** The first message; undefined if the time was over, the client has left, or the server stops. */
  readonly message: FoldMessage | undefined;
  /** Has what there is so far. */
  readonly fold: McpFold;
}

/** Follows the runs of calls for their clients (contract mcp-server, section 3). */
@Injectable()
export class CallStreams {
  constructor(
    private readonly streams: RunStreams,
    private readonly folds: CallFolds,
    private readonly nextRuns: NextRuns,
    private readonly settings: McpServerSettings,
    private readonly wire: McpWire,
  ) {}

  /** Waits for the first message of a run. */
  async quiet(run: RunView, data: CallData, gone: AbortLike, withinMs: number): Promise<Quiet> {
    const fold = this.folds.of(run, data);
    const context = this.folds.contextOf(run);
    if (context) fold.context = await context();
    let message: FoldMessage | undefined;
    await withinTime(gone, Math.max(0, withinMs), (signal, found) =>
      this.streams.ended(run, signal, (events) => {
        for (const event of events) {
          if (message) return;
          [message] = fold.next(event);
          if (message) found.abort();
        }
      }),
    );
    return { message, fold };
  }

  /**
   * The messages of a call, from a run on, until its result, or until its client is answered with what there is.
   *
   * @param options.withinMs how long it waits
   * @param options.seen how many messages of the run the client has
   */
  open(
    run: RunView,
    data: CallData,
    client: StreamClient,
    { withinMs, seen = 0 }: { readonly withinMs: number; readonly seen?: number },
  ): Frames {
    const isLegacy = data.era === 'legacy';
    const progress: StreamProgress = { hasResult: false };
    const encoderOf = (next: RunView): McpEncoder => {
      const context = this.folds.contextOf(next);
      const options = { context, hasIds: isLegacy, progress, endsEarly: !isLegacy };
      const has = next.runId === run.runId ? seen : 0;
      return new McpEncoder({ fold: this.folds.of(next, data), seen: has, ...options });
    };
    let current = encoderOf(run);
    const following = (next: RunView): McpEncoder => (current = encoderOf(next));
    const next = async (last: RunView | undefined, signal: AbortLike): Promise<NextRun> => {
      if (progress.hasResult) return 'ended';
      const found = await this.nextRuns.after(last ?? run, data, signal);
      if (typeof found === 'string' || !('result' in found)) return found;
      const frame = current.frame(found.result);
      progress.hasResult = true;
      return { last: [frame] };
    };
    const closing = isLegacy ? '' : messageFrame(errorAnswer(data.id, rpcError(CREDENTIAL_ENDED)));
    const stream = this.streams.followRuns(client, {
      wire: this.wire,
      onDisconnect: isLegacy ? 'continue' : 'cancel',
      head: hasPrimer(data) ? [primerFrame(`${run.runId}.${seen}`, this.settings.retryMs)] : [],
      first: { run, encoder: current, readTo: -1 },
      encoderOf: following,
      next,
      shutdownFrame: '',
      credentialFrame: closing,
      errorFrames: (error) => [messageFrame(errorAnswer(data.id, rpcError(error)))],
    });
    const timer = setTimeout(
      () => {
        if (progress.hasResult) return;
        progress.hasResult = true;
        stream.end(messageFrame(current.early()));
      },
      Math.max(0, withinMs),
    ).unref();
    client.reply.raw.once('close', () => clearTimeout(timer));
    return stream.events();
  }
}
