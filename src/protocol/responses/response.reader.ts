import { Injectable, Logger } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { AppError, type BackpressureGate, type Principal } from '../../common/index.js';
import { type AgentResponse, isTerminalEvent, type LoggedEvent } from '../../events/index.js';
import { Runs, RunSettings } from '../../run/index.js';
import { ActiveStreams, controlFramesFrom, type ControlFrames } from '../http/index.js';
import { acceptedTail, encodeTail, tailObservable, verifiedTail } from '../wire/index.js';
import type { StartedResponse } from './response-creation.js';
import { responseInfo } from './response-info.js';
import { responseOf } from './response-object.js';
import type { ResponseObject } from './response.types.js';
import { ResponsesEncoder } from './responses.encoder.js';
import { withVisibleEnd } from './visible-end.js';
import { ResponsesRefusal } from './responses-refusal.js';

/** When a client may ask a server again that is shutting down. */
const RETRY_SECONDS = 5;

/** The frames of a stream, and what is sent should the server end it before its time. */
export interface ResponseStream {
  readonly frames: Observable<readonly string[]>;
  readonly controlFrames: ControlFrames;
}

/** Reads responses: live, from a cursor, at their end, as they stand. */
@Injectable()
export class ResponseReader {
  private readonly logger = new Logger(ResponseReader.name);

  constructor(
    private readonly runs: Runs,
    private readonly streams: ActiveStreams,
    private readonly settings: RunSettings,
  ) {}

  /** The frames of an accepted response. One in the foreground is cancelled when its reader leaves. */
  live(started: StartedResponse, gate: BackpressureGate, clientGone: AbortSignal): ResponseStream {
    const { principal, runId, info } = started;
    if (clientGone.aborted) this.left(started);
    const encoder = new ResponsesEncoder(info);
    const frames = tailObservable({
      open: (signal) => {
        const tail = this.runs.tail(principal, runId, { gate, signal, accepted: true });
        return withVisibleEnd(encodeTail(acceptedTail(tail), encoder), encoder, signal);
      },
      gate,
      onAbandoned: () => this.left(started),
    });
    return { frames, controlFrames: controlFramesFrom(encoder) };
  }

  /**
   * The frames after the one with the given `sequence_number`.
   *
   * @throws AppError RUN_NOT_FOUND; INVALID_PARAMETER, before the first frame, when there is no such frame yet
   */
  async resume(
    principal: Principal,
    id: string,
    startingAfter: number,
    gate: BackpressureGate,
  ): Promise<ResponseStream> {
    const run = await this.runs.view(principal, id);
    const encoder = new ResponsesEncoder(responseInfo(run), startingAfter);
    const verify = (): void => {
      if (encoder.lastNumber < startingAfter) throw cursorAhead(startingAfter, encoder.lastNumber);
    };
    const frames = tailObservable({
      open: (signal) => {
        const tail = this.runs.tail(principal, id, { gate, signal });
        return withVisibleEnd(encodeTail(verifiedTail(tail, run.lastSeq, verify), encoder), encoder, signal);
      },
      gate,
    });
    return { frames, controlFrames: controlFramesFrom(encoder) };
  }

  /** Waits for the end of an accepted response. @throws AppError SHUTTING_DOWN when the server stops before */
  async result(started: StartedResponse, clientGone: AbortSignal): Promise<ResponseObject> {
    const { principal, runId, info } = started;
    const end = await this.end(principal, runId, clientGone);
    if (end) return responseOf(info, end);
    if (!clientGone.aborted) throw new AppError('SHUTTING_DOWN', undefined, { retryAfterSeconds: RETRY_SECONDS });
    this.left(started);
    return responseOf(info, await this.runs.response(principal, runId, { accepted: true }));
  }

  /** A response as it stands. @throws AppError RUN_NOT_FOUND */
  async view(principal: Principal, id: string): Promise<ResponseObject> {
    const run = await this.runs.view(principal, id);
    return responseOf(responseInfo(run), await this.runs.response(principal, id));
  }

  /**
   * Stops a background response and waits for its end; one that is over stays as it is.
   *
   * @throws AppError RUN_NOT_FOUND; INVALID_PARAMETER for a response in the foreground
   */
  async cancel(principal: Principal, id: string): Promise<ResponseObject> {
    const run = await this.runs.view(principal, id);
    if (!responseInfo(run).echo.background) {
      throw new ResponsesRefusal('INVALID_PARAMETER', 'Cannot cancel a synchronous response.', 'response_id');
    }
    if (run.finishedAt === null) {
      await this.runs.cancel(principal, id);
      await this.end(principal, id, AbortSignal.timeout(this.settings.cancelGraceMs + RETRY_SECONDS * 1000));
    }
    return this.view(principal, id);
  }

  /** Called when the reader of a foreground response is gone. A stream that the server itself ended was not left. */
  left({ background, principal, runId }: Pick<StartedResponse, 'background' | 'principal' | 'runId'>): void {
    if (background || this.streams.isShuttingDown) return;
    this.runs.cancel(principal, runId).catch((error: unknown) => {
      const stack = error instanceof Error ? error.stack : undefined;
      this.logger.error(`Response ${runId} could not be cancelled after its client left`, stack);
    });
  }

  private async end(principal: Principal, runId: string, signal: AbortSignal): Promise<AgentResponse | undefined> {
    let last: LoggedEvent | undefined;
    for await (const events of this.runs.tail(principal, runId, { signal, accepted: true })) {
      last = events.at(-1) ?? last;
    }
    return last && isTerminalEvent(last.event) ? last.event : undefined;
  }
}

function cursorAhead(startingAfter: number, lastNumber: number): ResponsesRefusal {
  const message = `starting_after is ${startingAfter}, but the last event of this response has the sequence_number ${lastNumber}`;
  return new ResponsesRefusal('CURSOR_AHEAD', message, 'starting_after');
}
