import { Module } from '@nestjs/common';
import { RetainedSummaries } from '../../run/index.js';
import { SessionModule } from '../../agent/session/index.js';
import { AG_UI_RUNS, STATE_SUMMARY, StateSummary } from '../ag-ui-events/index.js';
import { WireModule } from '../wire/index.js';
import { CopilotAgents } from './copilotkit-agents.js';
import { CopilotThreadsController } from './copilotkit-threads.controller.js';
import { CopilotThreads } from './copilotkit-threads.service.js';
import { CopilotKitController } from './copilotkit.controller.js';
import { CopilotKitService } from './copilotkit.service.js';
import { CopilotKitWire } from './copilotkit.wire.js';
import { ThreadReplays } from './thread-replay.js';

/** CopilotKit's own routes. Needs `Runs`, `Interrupts`, `AgentRegistry` and the settings from global modules. */
@Module({
  imports: [WireModule, SessionModule],
  controllers: [CopilotKitController, CopilotThreadsController],
  providers: [CopilotKitWire, CopilotKitService, CopilotAgents, CopilotThreads, ThreadReplays, AG_UI_RUNS],
})
export class CopilotKitModule {
  constructor(summaries: RetainedSummaries) {
    summaries.register(STATE_SUMMARY, () => new StateSummary());
  }
}
