import { Module } from '@nestjs/common';
import { SessionModule } from '../../session/index.js';
import { WireModule } from '../wire/index.js';
import { ContentSeal } from './content-seal.js';
import { ConversationItems } from './conversation-items.js';
import { ConversationController } from './conversation.controller.js';
import { ConversationService } from './conversation.service.js';
import { InputResolver } from './input-resolver.js';
import { LegacyMirror } from './legacy-mirror.js';
import { ModelList } from './model-list.js';
import { ModelController } from './model.controller.js';
import { ResponseApprovals } from './response-approvals.js';
import { ResponseContext } from './response-context.js';
import { ResponseContextController } from './response-context.controller.js';
import { ResponseCreation } from './response-creation.js';
import { ResponseController } from './response.controller.js';
import { ResponseReader } from './response.reader.js';
import { ResponsesIntake } from './responses-intake.js';
import { ResponsesOwner } from './responses-owner.js';
import { ResponsesWire } from './responses.wire.js';
import { ResponseSocketGateway } from './socket/response-socket.gateway.js';
import { SocketTurns } from './socket/socket-turns.js';
import { SessionHistory } from './session-history.js';

/** OpenAI Responses. Needs `Runs`, `AgentRegistry`, `Interrupts`, `Clock`, `IdFactory` and the settings from global modules. */
@Module({
  imports: [WireModule, SessionModule],
  controllers: [ResponseContextController, ResponseController, ConversationController, ModelController],
  providers: [
    ContentSeal,
    ConversationItems,
    ConversationService,
    InputResolver,
    LegacyMirror,
    ModelList,
    ResponseApprovals,
    ResponseContext,
    ResponseCreation,
    ResponseReader,
    ResponseSocketGateway,
    ResponsesIntake,
    ResponsesOwner,
    ResponsesWire,
    SessionHistory,
    SocketTurns,
  ],
})
export class ResponsesModule {}
