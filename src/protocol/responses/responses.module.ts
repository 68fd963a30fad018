import { Module } from '@nestjs/common';
import { TicketRoutes } from '../../access/index.js';
import { SummaryLabels } from '../../agent/index.js';
import { tenantReach, userReach } from '../../common/index.js';
import { SessionModule } from '../../agent/session/index.js';
import { WireModule } from '../wire/index.js';
import { ContentCipher } from './content-cipher.js';
import { ConversationHistory } from './conversation-history.js';
import { ConversationItems } from './conversation-items.js';
import { ConversationsController } from './conversations.controller.js';
import { ConversationsService } from './conversations.service.js';
import { InputResolver } from './input-resolver.js';
import { compactionLabel } from './items/compaction.js';
import { ModelsController } from './models.controller.js';
import { ResponseApprovals } from './response-approvals.js';
import { ResponseContext } from './response-context.js';
import { WIRE } from './response-info.js';
import { ResponseSubmission } from './response-submission.js';
import { ResponsesController } from './responses.controller.js';
import { ResponseRequests } from './response-requests.js';
import { ResponsesService } from './responses.service.js';
import { ResponsesWire } from './responses.wire.js';
import { ResponsesSocketGateway, SOCKET_PATHS } from './socket/responses-socket.gateway.js';
import { ResponseSockets } from './socket/response-sockets.js';
import { SocketResponders } from './socket/socket-responder.js';

/** OpenAI Responses. Needs `Runs`, `AgentRegistry`, `Interrupts`, `Clock`, `IdFactory` and the settings from global modules. */
@Module({
  imports: [WireModule, SessionModule],
  controllers: [ResponsesController, ConversationsController, ModelsController],
  providers: [
    ContentCipher,
    ConversationHistory,
    ConversationItems,
    ConversationsService,
    InputResolver,
    ResponseApprovals,
    ResponseContext,
    ResponseSubmission,
    ResponseRequests,
    ResponsesService,
    ResponsesSocketGateway,
    ResponsesWire,
    SocketResponders,
    ResponseSockets,
  ],
})
export class ResponsesModule {
  constructor(tickets: TicketRoutes, labels: SummaryLabels, cipher: ContentCipher) {
    for (const path of SOCKET_PATHS) tickets.addSocket(path, ['runs:write']);
    // Encrypted when they are written, so that every reader gets the same item.
    labels.declare(WIRE, (summary, { principal, authority }) => {
      const owner = authority === null ? tenantReach(principal.tenantId) : userReach(principal);
      return compactionLabel(cipher.encrypt(summary, owner));
    });
  }
}
