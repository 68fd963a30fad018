import { Module } from '@nestjs/common';
import { AppConfig } from '../../config/index.js';
import { RunDigests } from '../../run/index.js';
import { EncoderRegistry, ErrorMappers, HttpModule } from '../http/index.js';
import { AttachmentLocator } from './attachment-locator.js';
import { HistoryController } from './history.controller.js';
import { ThreadHistory } from './history/thread-history.js';
import { PrunedRuns } from './events/pruned-runs.js';
import { RunAnswering } from './events/run-answering.js';
import { RUNS_DIGEST, RunsDigest } from './events/run-digest.js';
import { RunEvents } from './events/run-events.js';
import { RunPlaces } from './events/run-places.js';
import { RunPositions } from './events/run-positions.js';
import { RunStream } from './events/run-stream.js';
import { RunsEncoder } from './events/runs.encoder.js';
import { RunControlController } from './run-control.controller.js';
import { RunEventsController } from './run-events.controller.js';
import { RunInputPipe } from './run-input.pipe.js';
import { RunLookup } from './run-lookup.js';
import { RunStatusController } from './run-status.controller.js';
import { RunSubmission, RUNS_WIRE } from './run-submission.js';
import { runsErrorMapper } from './runs-error.mapper.js';
import { RunsController } from './runs.controller.js';
import { RunViews } from './status/run-views.js';

/** The durable Runs API. Needs `Runs`, `Sessions`, `Dispatcher`, `AppConfig` and the agents from global modules. */
@Module({
  imports: [HttpModule],
  controllers: [RunsController, RunEventsController, RunStatusController, RunControlController, HistoryController],
  providers: [
    RunInputPipe,
    AttachmentLocator,
    RunSubmission,
    RunLookup,
    RunPositions,
    RunPlaces,
    PrunedRuns,
    RunStream,
    RunEvents,
    RunAnswering,
    RunViews,
    ThreadHistory,
  ],
})
export class RunsModule {
  constructor(mappers: ErrorMappers, encoders: EncoderRegistry, digests: RunDigests, config: AppConfig) {
    const { detailAlias } = config.runsApi;
    mappers.register('/api/v1/agent/', runsErrorMapper({ isInput: false, detailAlias }));
    mappers.register('/api/v1/agent/runs', runsErrorMapper({ isInput: true, detailAlias }));
    mappers.register('/api/v1/agent/runs/', runsErrorMapper({ isInput: false, detailAlias }));
    encoders.register(RUNS_WIRE, (run) => new RunsEncoder(run));
    digests.register(RUNS_DIGEST, (run) => new RunsDigest(run));
  }
}
