import { Module } from '@nestjs/common';
import { SessionModule } from '../../agent/session/index.js';
import { AG_UI_RUNS } from '../ag-ui-events/index.js';
import { WireModule } from '../wire/index.js';
import { AgKitAgents } from './ag-kit-agents.js';
import { AgKitBotsController } from './ag-kit-bots.controller.js';
import { AgKitConversationsController } from './ag-kit-conversations.controller.js';
import { AgKitConversations } from './ag-kit-conversations.service.js';
import { AgKitSubmission } from './ag-kit-submission.js';
import { AgKitController } from './ag-kit.controller.js';
import { AgKitService } from './ag-kit.service.js';
import { AgKitAgUiWire, AgKitBotWire, AgKitWire } from './ag-kit.wire.js';
import { AgUiSubmission } from './ag-ui-submission.js';

/** AG-Kit. Needs `Runs`, `Interrupts`, `AgentRegistry`, `IdFactory` and the settings from global modules. */
@Module({
  imports: [WireModule, SessionModule],
  controllers: [AgKitController, AgKitBotsController, AgKitConversationsController],
  providers: [
    ...[AgKitWire, AgKitAgUiWire, AgKitBotWire],
    ...[AgKitService, AgKitSubmission, AgUiSubmission, AgKitAgents, AgKitConversations, AG_UI_RUNS],
  ],
})
export class AgKitModule {}
