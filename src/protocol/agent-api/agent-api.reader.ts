import { Injectable, Logger } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { AppError, type BackpressureGate, type Principal } from '../../common/index.js';
import { AppConfig } from '../../config/index.js';
import { type AgentResponse, isTerminalEvent, type LoggedEvent } from '../../events/index.js';
import { Runs } from '../../run/index.js';
import { acceptedTail, encodeTail, ActiveStreams, tailObservable, verifiedTail } from '../http/index.js';
import { AgentApiEncoder } from './agent-api.encoder.js';

/** When a client may ask a server again that is shutting down. */
const RETRY_SECONDS = 5;

/** Which run to read, for whom. */
export interface RunReading {
  readonly principal: Principal;
  readonly runId: string;
  /** Whether the run is cancelled when the reader leaves before the end. */
  readonly cancelWhenLeft: boolean;
}

/** Reads runs in the Agent API's frames: live, from a cursor, or only the end. */
@Injectable()
export class AgentApiReader {
  private readonly logger = new Logger(AgentApiReader.name);

  constructor(
    private readonly runs: Runs,
    private readonly streams: ActiveStreams,
    private readonly config: AppConfig,
  ) {}

  /** The frames of an accepted run from its beginning. */
  live(reading: RunReading, gate: BackpressureGate, clientGone: AbortSignal): Observable<readonly string[]> {
    if (clientGone.aborted) this.left(reading);
    const encoder = new AgentApiEncoder(this.config.agentApi);
    return tailObservable({
      open: (signal) =>
        encodeTail(acceptedTail(this.runs.tail(reading.principal, reading.runId, { gate, signal })), encoder),
      gate,
      onAbandoned: () => this.left(reading),
    });
  }

  /**
   * The frames of a run after the one with the given `sequence_number`.
   *
   * @throws AppError RUN_NOT_FOUND; CURSOR_AHEAD, through the Observable and before its first frame,
   *   when the run has no frame of that number yet
   */
  async resume(
    principal: Principal,
    runId: string,
    startingAfter: number,
    gate: BackpressureGate,
  ): Promise<Observable<readonly string[]>> {
    const { lastSeq } = await this.runs.view(principal, runId);
    const encoder = new AgentApiEncoder({ ...this.config.agentApi, startingAfter });
    const verify = (): void => {
      if (encoder.lastNumber < startingAfter) throw cursorAhead(startingAfter, encoder.lastNumber);
    };
    return tailObservable({
      open: (signal) =>
        encodeTail(verifiedTail(this.runs.tail(principal, runId, { gate, signal }), lastSeq, verify), encoder),
      gate,
    });
  }

  /**
   * Waits for the end of a run and returns its terminal response.
   *
   * @throws AppError SHUTTING_DOWN when the server stops before
   */
  async result(reading: RunReading, clientGone: AbortSignal): Promise<AgentResponse> {
    let last: LoggedEvent | undefined;
    for await (const events of this.runs.tail(reading.principal, reading.runId, { signal: clientGone })) {
      last = events.at(-1) ?? last;
    }
    if (last && isTerminalEvent(last.event)) return last.event;
    // The tail ends early only when nobody listens any more or the server stops; the run goes on then.
    if (!clientGone.aborted) throw new AppError('SHUTTING_DOWN', undefined, { retryAfterSeconds: RETRY_SECONDS });
    this.left(reading);
    return this.runs.response(reading.principal, reading.runId);
  }

  /** The reader is gone. A stream that the server itself ended, to shut down, was not left. */
  private left({ cancelWhenLeft, principal, runId }: RunReading): void {
    if (!cancelWhenLeft || this.streams.isShuttingDown) return;
    this.runs.cancel(principal, runId).catch((error: unknown) => {
      this.logger.error(
        `Run ${runId} could not be cancelled after its client left`,
        error instanceof Error ? error.stack : undefined,
      );
    });
  }
}

function cursorAhead(startingAfter: number, lastNumber: number): AppError {
  const message = `starting_after is ${startingAfter}, but the last event of this run has the sequence_number ${lastNumber}`;
  return new AppError('CURSOR_AHEAD', message, { details: [{ path: 'starting_after', message }] });
}
