import { Module } from '@nestjs/common';
import { AgentRegistry } from '../../agent/index.js';
import { Interrupts } from '../../interrupt/index.js';
import { Runs } from '../../run/index.js';
import { Sessions } from '../../session/index.js';
import { AgUiRuns } from '../ag-ui-events/index.js';
import { WireModule } from '../wire/index.js';
import { AgKitIntake } from './ag-kit-intake.js';
import { AgKitReader } from './ag-kit.reader.js';
import { AgKitAgUiWire, AgKitBotWire, AgKitWire } from './ag-kit.wire.js';
import { AgUiIntake } from './ag-ui-intake.js';
import { BotsController } from './bots.controller.js';
import { ConversationsController } from './conversations.controller.js';
import { Conversations } from './conversations.js';
import { HealthzController } from './healthz.controller.js';
import { PublicAgents } from './public-agents.js';
import { SendMessageController } from './send-message.controller.js';
import { SendMessage } from './send-message.js';

const AG_UI_RUNS = {
  provide: AgUiRuns,
  inject: [Runs, Sessions, Interrupts, AgentRegistry],
  useFactory: (runs: Runs, sessions: Sessions, interrupts: Interrupts, agents: AgentRegistry) =>
    new AgUiRuns({ runs, sessions, interrupts, agents }),
};

/** AG-Kit. Needs `Runs`, `Sessions`, `Interrupts`, `AgentRegistry`, `IdFactory` and the settings from global modules. */
@Module({
  imports: [WireModule],
  controllers: [SendMessageController, HealthzController, BotsController, ConversationsController],
  providers: [
    AgKitWire,
    AgKitAgUiWire,
    AgKitBotWire,
    SendMessage,
    AgKitIntake,
    AgUiIntake,
    AgKitReader,
    Conversations,
    PublicAgents,
    AG_UI_RUNS,
  ],
})
export class AgKitModule {}
