import { Module } from '@nestjs/common';
import { EncoderRegistry, ErrorMappers, HttpModule } from '../http/index.js';
import { agKitErrorBody } from './ag-kit-errors.js';
import { AgKitIntake } from './ag-kit-intake.js';
import { AgKitEncoder } from './ag-kit.encoder.js';
import { AgKitReader } from './ag-kit.reader.js';
import { BotsController } from './bots.controller.js';
import { ConversationsController } from './conversations.controller.js';
import { Conversations } from './conversations.js';
import { PublicAgents } from './public-agents.js';
import { SendMessageController } from './send-message.controller.js';
import { SendMessage } from './send-message.js';

/** AG-Kit. Needs `Runs`, `Sessions`, `Interrupts`, `AgentRegistry`, `IdFactory` and `AppConfig` from global modules. */
@Module({
  imports: [HttpModule],
  controllers: [SendMessageController, BotsController, ConversationsController],
  providers: [SendMessage, AgKitIntake, AgKitReader, Conversations, PublicAgents],
})
export class AgKitModule {
  constructor(encoders: EncoderRegistry, mappers: ErrorMappers) {
    encoders.register('ag-kit', () => new AgKitEncoder());
    mappers.register('/send-message', agKitErrorBody);
    mappers.register('/v1/aibot/', agKitErrorBody);
  }
}
