import { Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Observable } from 'rxjs';
import { Needs, Public } from '../../access/index.js';
import { Clock } from '../../common/index.js';
import { DtoPipe, SsePost, type StreamClient, StreamFor } from '../http/index.js';
import { Decode, Decoded, WireController } from '../wire/index.js';
import { AgKitService, type SentMessages } from './ag-kit.service.js';
import { AgKitWire } from './ag-kit.wire.js';
import { ApiAgentId, ApiAgKitRoute, ApiSendMessage } from './api-docs.js';
import { HealthzDto } from './dto/conversation.dto.js';
import { SendMessageQueryDto } from './dto/request.dto.js';

type Frames = Observable<readonly string[]>;

/** `POST /send-message`, of the default agent and of a named one, in all three dialects, and `GET /healthz` (contract ag-kit). */
@ApiTags('AG-Kit')
@Needs('runs:write')
@WireController(AgKitWire)
export class AgKitController {
  constructor(
    private readonly service: AgKitService,
    private readonly clock: Clock,
  ) {}

  @SsePost('send-message')
  @Decode(AgKitService, (service, request) => service.decode(request))
  @ApiSendMessage('Send messages to the default agent')
  send(
    @Decoded() sent: SentMessages,
    @Query(DtoPipe) query: SendMessageQueryDto,
    @StreamFor() client: StreamClient,
  ): Promise<Frames> {
    return this.service.send(sent, query.on_disconnect, client);
  }

  @SsePost('v1/aibot/bots/:agentId/send-message')
  @Decode(AgKitService, (service, request) => service.decode(request))
  @ApiAgentId()
  @ApiSendMessage('Send messages to an agent')
  sendTo(
    @Decoded() sent: SentMessages,
    @Query(DtoPipe) query: SendMessageQueryDto,
    @StreamFor() client: StreamClient,
  ): Promise<Frames> {
    return this.service.send(sent, query.on_disconnect, client);
  }

  @Get(['healthz', 'v1/aibot/bots/:agentId/healthz'])
  @Public()
  @ApiOkResponse({ type: HealthzDto })
  @ApiAgKitRoute('Liveness', 'Responds as long as the server is running.', [])
  healthz(): HealthzDto {
    return { status: 'ok', timestamp: this.clock.now() };
  }
}
