import { Module } from '@nestjs/common';
import { RetainedSummaries } from '../../run/index.js';
import { WireModule } from '../wire/index.js';
import { AttachmentLocator } from './attachment-locator.js';
import { HistoryController } from './history.controller.js';
import { ThreadHistory } from './history/thread-history.js';
import { PrunedRuns } from './events/pruned-runs.js';
import { FrameCounts } from './events/frame-counts.js';
import { RUNS_SUMMARY, RunsRetainedSummary } from './events/retained-summary.js';
import { RunEncodingService } from './events/run-encoding.service.js';
import { RunEvents } from './events/run-events.js';
import { StartFinder } from './events/start-finder.js';
import { RunControlController } from './run-control.controller.js';
import { RunEventsController } from './run-events.controller.js';
import { RunInputReader } from './run-input.reader.js';
import { RunLookup } from './run-lookup.js';
import { RunStatusController } from './run-status.controller.js';
import { RunSubmission } from './run-submission.js';
import { RunsController } from './runs.controller.js';
import { RunsWire } from './runs.wire.js';
import { RunViews } from './status/run-views.js';

/** The durable Runs API. Needs `Runs`, `Sessions`, the settings and the agents from global modules. */
@Module({
  imports: [WireModule],
  controllers: [RunsController, RunEventsController, RunStatusController, RunControlController, HistoryController],
  providers: [
    RunsWire,
    RunInputReader,
    AttachmentLocator,
    RunSubmission,
    RunLookup,
    RunEncodingService,
    FrameCounts,
    StartFinder,
    PrunedRuns,
    RunEvents,
    RunViews,
    ThreadHistory,
  ],
})
export class RunsModule {
  constructor(summaries: RetainedSummaries) {
    summaries.register(RUNS_SUMMARY, (run) => new RunsRetainedSummary(run));
  }
}
