import { Module } from '@nestjs/common';
import { AgentRegistry } from '../../agent/index.js';
import { DEFAULT_TENANT } from '../../common/index.js';
import { AppConfig } from '../../config/index.js';
import { Interrupts } from '../../interrupt/index.js';
import { Runs } from '../../run/index.js';
import { Sessions } from '../../session/index.js';
import { AgUiRuns } from '../ag-ui-events/index.js';
import { EncoderRegistry, ErrorMappers, HttpModule } from '../http/index.js';
import { agKitErrorBody } from './ag-kit-errors.js';
import { AgKitIntake } from './ag-kit-intake.js';
import { AgKitEncoder } from './ag-kit.encoder.js';
import { AgKitReader } from './ag-kit.reader.js';
import { WATCHED_AS } from './ag-kit.types.js';
import { AgUiIntake } from './ag-ui-intake.js';
import { agUiFrame } from './ag-ui.frames.js';
import { BotEncoder } from './bot.encoder.js';
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

/** AG-Kit. Needs `Runs`, `Sessions`, `Interrupts`, `AgentRegistry`, `IdFactory` and `AppConfig` from global modules. */
@Module({
  imports: [HttpModule],
  controllers: [SendMessageController, HealthzController, BotsController, ConversationsController],
  providers: [SendMessage, AgKitIntake, AgUiIntake, AgKitReader, Conversations, PublicAgents, AG_UI_RUNS],
})
export class AgKitModule {
  constructor(encoders: EncoderRegistry, mappers: ErrorMappers, runs: AgUiRuns, { agKit }: AppConfig) {
    encoders.register(WATCHED_AS['ag-kit'], () => new AgKitEncoder({ errorText: agKit.errorText }));
    encoders.register(WATCHED_AS['ag-ui'], (run) =>
      runs.encoderOf({ tenantId: DEFAULT_TENANT, userId: run.userId }, run, { frameOf: agUiFrame }),
    );
    encoders.register(WATCHED_AS.bot, () => new BotEncoder());
    mappers.register('/send-message', agKitErrorBody);
    mappers.register('/v1/aibot/', agKitErrorBody);
  }
}
