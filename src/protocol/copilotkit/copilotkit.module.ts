import { Module } from '@nestjs/common';
import { AgentRegistry } from '../../agent/index.js';
import { Interrupts } from '../../interrupt/index.js';
import { RetainedSummaries, Runs } from '../../run/index.js';
import { SessionModule, Sessions } from '../../session/index.js';
import { AgUiRuns, STATE_DIGEST, StateDigest } from '../ag-ui-events/index.js';
import { WireModule } from '../wire/index.js';
import { CopilotAgentController } from './agent.controller.js';
import { CopilotRuntime } from './copilot-runtime.js';
import { CopilotKitWire } from './copilotkit.wire.js';
import { CopilotRuntimeController } from './runtime.controller.js';
import { ThreadReplay } from './thread-replay.js';
import { CopilotThreadsController } from './threads.controller.js';
import { CopilotThreads } from './threads.service.js';

/** CopilotKit's own routes. Needs `Runs`, `Interrupts`, `AgentRegistry` and the settings from global modules. */
@Module({
  imports: [WireModule, SessionModule],
  controllers: [CopilotRuntimeController, CopilotAgentController, CopilotThreadsController],
  providers: [
    CopilotKitWire,
    CopilotRuntime,
    CopilotThreads,
    ThreadReplay,
    {
      provide: AgUiRuns,
      inject: [Runs, Sessions, Interrupts, AgentRegistry],
      useFactory: (runs: Runs, sessions: Sessions, interrupts: Interrupts, agents: AgentRegistry) =>
        new AgUiRuns({ runs, sessions, interrupts, agents }),
    },
  ],
})
export class CopilotKitModule {
  constructor(digests: RetainedSummaries) {
    digests.register(STATE_DIGEST, () => new StateDigest());
  }
}
