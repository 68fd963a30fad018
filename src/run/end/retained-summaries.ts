import { Injectable, Logger } from '@nestjs/common';
import type { Json, JsonObject } from '../../common/index.js';
import type { LoggedEvent } from '../../events/index.js';
import { logPages } from '../log/log-pages.js';
import { RunLog } from '../ports/run-log.js';
import type { RunRecord } from '../run-record.js';
import { runView } from '../run-view.js';
import type { RunView } from '../run.types.js';

/** Folds the events of one run, from the first to the last, to what is kept of them. */
export interface RetainedSummary {
  take(event: LoggedEvent): void;
  result(): Json;
}

/**
 * What wires keep of a run when its events are removed: each registers a summary under a name of its own,
 * in the constructor of its module, and finds the results in `RunView.retainedSummaries`.
 */
@Injectable()
export class RetainedSummaries {
  private readonly logger = new Logger(RetainedSummaries.name);
  private readonly makers = new Map<string, (run: RunView) => RetainedSummary>();

  constructor(private readonly log: RunLog) {}

  register(name: string, make: (run: RunView) => RetainedSummary): void {
    this.makers.set(name, make);
  }

  /** The summaries of a run that has ended and has all its events; null when they cannot be read. Never throws. */
  async of(run: RunRecord): Promise<JsonObject | null> {
    const view = runView(run, 0);
    const summaries = [...this.makers].map(([name, make]) => [name, make(view)] as const);
    try {
      for await (const events of logPages(this.log, run)) {
        for (const event of events) for (const [, summary] of summaries) summary.take(event);
      }
      return Object.fromEntries(summaries.map(([name, summary]) => [name, summary.result()]));
    } catch (error) {
      this.logger.warn(`No summaries of the events of run ${run.id} are kept: ${String(error)}`);
      return null;
    }
  }
}
