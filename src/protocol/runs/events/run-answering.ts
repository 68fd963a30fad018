import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Observable } from 'rxjs';
import type { BackpressureGate, Principal } from '../../../common/index.js';
import { Dispatcher, Runs, type RunView } from '../../../run/index.js';
import { commentFrame, ActiveStreams, useControlFrames } from '../../http/index.js';
import { tailObservable } from '../../wire/index.js';
import { addressOf, clientRunId } from '../run-names.js';
import { RunsApiSettings } from '../runs-api.settings.js';
import type { EventsStream, StreamNeeds } from './run-events.js';
import { RunStream } from './run-stream.js';

const CONTROL_FRAMES = { keepAliveFrame: commentFrame('hb'), shutdownFrame: 'retry: 500\n\n' };

/** Puts frames into an HTTP answer: headers, keep-alives, the longest life of a stream, the words at a shutdown. */
@Injectable()
export class RunAnswering {
  private readonly logger = new Logger(RunAnswering.name);

  constructor(
    private readonly runs: Runs,
    private readonly stream: RunStream,
    private readonly streams: ActiveStreams,
    private readonly dispatcher: Dispatcher,
    private readonly settings: RunsApiSettings,
  ) {}

  /** The events of a run that was just accepted, from the first. */
  async accepted(
    principal: Principal,
    taskId: string,
    reply: FastifyReply,
    options: { readonly gate: BackpressureGate; readonly cancelWhenLeft: boolean },
  ): Promise<Observable<readonly string[]>> {
    const run = await this.runs.view(principal, taskId, { accepted: true });
    const open = (needs: StreamNeeds): AsyncIterable<readonly string[]> =>
      this.stream.frames({ principal, run, ...needs });
    const onLeft = options.cancelWhenLeft ? () => this.cancel(principal, run) : undefined;
    return this.observable({ run, open }, reply, { gate: options.gate, onLeft });
  }

  /** A stream as an answer. */
  observable(
    { run, open }: EventsStream,
    reply: FastifyReply,
    { gate, onLeft }: { readonly gate: BackpressureGate; readonly onLeft?: (() => void) | undefined },
  ): Observable<readonly string[]> {
    useControlFrames(reply.request, CONTROL_FRAMES);
    if (run) reply.header('content-location', addressOf(run.sessionId, clientRunId(run)));
    return tailObservable({
      open: (gone) => {
        const signal = AbortSignal.any([gone, AbortSignal.timeout(this.settings.streamMs)]);
        return this.batches(open({ gate, signal }));
      },
      gate,
      // A stream that the server itself ended, to shut down, was not left.
      onAbandoned: () => (this.streams.isShuttingDown ? undefined : onLeft?.()),
    });
  }

  /** First that the request is accepted; last, when the server stops, that the client shall come again soon. */
  private async *batches(frames: AsyncIterable<readonly string[]>): AsyncGenerator<readonly string[], void, void> {
    yield [];
    yield* frames;
    if (!this.dispatcher.accepting) yield [CONTROL_FRAMES.shutdownFrame];
  }

  private cancel(principal: Principal, run: RunView): void {
    this.runs.cancel(principal, run.runId).catch((error: unknown) => {
      const stack = error instanceof Error ? error.stack : undefined;
      this.logger.error(`Run ${run.runId} could not be cancelled after its client left`, stack);
    });
  }
}
