import { Injectable, Logger } from '@nestjs/common';
import { userReach } from '../../common/index.js';
import { Runs, type RunView } from '../../run/index.js';
import { ActiveStreams } from '../http/index.js';

/** What happens to a run whose client disconnects before its end. */
export type OnDisconnect = 'continue' | 'cancel';

/** Decides what happens to a run whose client has disconnected. */
@Injectable()
export class DisconnectPolicy {
  private readonly logger = new Logger(DisconnectPolicy.name);

  constructor(
    private readonly runs: Runs,
    private readonly active: ActiveStreams,
  ) {}

  /**
   * Called when the reader of a run is gone. Cancels the run if its request or wire says so. The run of a stream
   * that the server itself ends, to shut down, continues. Never throws: a failed cancel is logged.
   */
  left(run: RunView, onDisconnect: OnDisconnect): void {
    if (onDisconnect === 'continue' || this.active.isShuttingDown) return;
    this.runs.cancel(userReach(run), run.runId).catch((error: unknown) => {
      const stack = error instanceof Error ? error.stack : undefined;
      this.logger.error(`Run ${run.runId} could not be canceled after its client left`, stack);
    });
  }
}
