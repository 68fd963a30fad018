import { Injectable, Logger } from '@nestjs/common';
import type { Json, JsonObject } from '../../common/index.js';
import type { LoggedEvent } from '../../events/index.js';
import { RunLog } from '../ports/run-log.js';
import type { RunRecord } from '../ports/run-store.js';
import { runView } from '../run-view.js';
import type { RunView } from '../run.types.js';

const PAGE = 1024;

/** Folds the events of one run, from the first to the last, to what is worth keeping of them. */
export interface RetainedSummary {
  take(event: LoggedEvent): void;
  result(): Json;
}

/**
 * What wires keep of a run when its events are removed: each registers a digest under a name of its own,
 * in the constructor of its module, and finds the results in `RunView.digests`.
 */
@Injectable()
export class RetainedSummaries {
  private readonly logger = new Logger(RetainedSummaries.name);
  private readonly makers = new Map<string, (run: RunView) => RetainedSummary>();

  constructor(private readonly log: RunLog) {}

  register(name: string, make: (run: RunView) => RetainedSummary): void {
    this.makers.set(name, make);
  }

  /** The digests of a finished run whose log is still whole; null when it cannot be read. Never throws. */
  async of(run: RunRecord): Promise<JsonObject | null> {
    try {
      return await this.fold(run);
    } catch (error) {
      this.logger.warn(`nothing is kept of the events of run ${run.id}: ${String(error)}`);
      return null;
    }
  }

  private async fold(run: RunRecord): Promise<JsonObject> {
    const view = runView(run, 0);
    const digests = [...this.makers].map(([name, make]) => [name, make(view)] as const);
    for (let next = 0; next < run.nextSeq;) {
      const events = await this.log.read(run.rowId, next, PAGE);
      if (events[0]?.seq !== next) throw new Error(`the log has no event ${next}`);
      for (const event of events) for (const [, digest] of digests) digest.take(event);
      next += events.length;
    }
    return Object.fromEntries(digests.map(([name, digest]) => [name, digest.result()]));
  }
}
