import { Injectable, Logger } from '@nestjs/common';
import type { Observable } from 'rxjs';
import type { Demand, Principal } from '../../common/index.js';
import { Runs } from '../../run/index.js';
import { acceptedTail, encodeTail, OpenStreams, type ProtocolEncoder, tailObservable } from '../http/index.js';

/** Which run to stream, for whom, and in what frames. */
export interface AgKitReading {
  readonly principal: Principal;
  readonly runId: string;
  readonly encoder: ProtocolEncoder;
  /** Whether the run is cancelled when its client leaves: on this wire that is its only way to stop it. */
  readonly cancelWhenLeft: boolean;
}

/** Streams accepted runs from their beginning. */
@Injectable()
export class AgKitReader {
  private readonly logger = new Logger(AgKitReader.name);

  constructor(
    private readonly runs: Runs,
    private readonly streams: OpenStreams,
  ) {}

  live(reading: AgKitReading, demand: Demand, clientGone: AbortSignal): Observable<readonly string[]> {
    const { principal, runId, encoder } = reading;
    if (clientGone.aborted) this.left(reading);
    return tailObservable({
      open: (signal) => encodeTail(acceptedTail(this.runs.tail(principal, runId, { demand, signal })), encoder),
      demand,
      onAbandoned: () => this.left(reading),
    });
  }

  /** The client is gone. A stream that the server itself ended, to shut down, was not left. */
  private left({ cancelWhenLeft, principal, runId }: AgKitReading): void {
    if (!cancelWhenLeft || this.streams.closing) return;
    this.runs.cancel(principal, runId).catch((error: unknown) => {
      const stack = error instanceof Error ? error.stack : undefined;
      this.logger.error(`Run ${runId} could not be cancelled after its client left`, stack);
    });
  }
}
