import { Injectable, Logger } from '@nestjs/common';
import type { Observable } from 'rxjs';
import type { BackpressureGate, Principal } from '../../common/index.js';
import { Runs } from '../../run/index.js';
import { ActiveStreams } from '../http/index.js';
import { acceptedTail, encodeTail, type FrameEncoder, tailObservable } from '../wire/index.js';

/** Which run to stream, for whom, and in what frames. */
export interface AgKitReading {
  readonly principal: Principal;
  readonly runId: string;
  readonly encoder: FrameEncoder;
  /** Whether the run is cancelled when its client leaves: on this wire that is its only way to stop it. */
  readonly cancelWhenLeft: boolean;
}

/** Streams accepted runs from their beginning. */
@Injectable()
export class AgKitReader {
  private readonly logger = new Logger(AgKitReader.name);

  constructor(
    private readonly runs: Runs,
    private readonly streams: ActiveStreams,
  ) {}

  live(reading: AgKitReading, gate: BackpressureGate, clientGone: AbortSignal): Observable<readonly string[]> {
    const { principal, runId, encoder } = reading;
    if (clientGone.aborted) this.left(reading);
    return tailObservable({
      open: (signal) => encodeTail(acceptedTail(this.runs.tail(principal, runId, { gate, signal })), encoder),
      gate,
      onAbandoned: () => this.left(reading),
    });
  }

  /** The client is gone. A stream that the server itself ended, to shut down, was not left. */
  private left({ cancelWhenLeft, principal, runId }: AgKitReading): void {
    if (!cancelWhenLeft || this.streams.isShuttingDown) return;
    this.runs.cancel(principal, runId).catch((error: unknown) => {
      const stack = error instanceof Error ? error.stack : undefined;
      this.logger.error(`Run ${runId} could not be cancelled after its client left`, stack);
    });
  }
}
