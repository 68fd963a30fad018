import { Caller, Needs, Public } from '../../access/index.js';
import { Body, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Observable } from 'rxjs';
import { Clock } from '../../common/index.js';
import { ShapePipe, SsePost, type StreamClient, StreamFor } from '../http/index.js';
import { WireController } from '../wire/index.js';
import { addressedUser } from './addressed-user.decorator.js';
import { AgKitService } from './ag-kit.service.js';
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
  @ApiSendMessage('Send messages to the default agent')
  send(
    @Body() body: unknown,
    @Query(new ShapePipe(SendMessageQueryDto)) query: SendMessageQueryDto,
    @Caller() caller: Caller,
    @StreamFor() client: StreamClient,
  ): Promise<Frames> {
    const user = addressedUser(client.request);
    return this.service.send(body, { caller, user, onDisconnect: query.on_disconnect }, client);
  }

  @SsePost('v1/aibot/bots/:agentId/send-message')
  @ApiAgentId()
  @ApiSendMessage('Send messages to an agent')
  sendTo(
    @Param('agentId') agentId: string,
    @Body() body: unknown,
    @Query(new ShapePipe(SendMessageQueryDto)) query: SendMessageQueryDto,
    @Caller() caller: Caller,
    @StreamFor() client: StreamClient,
  ): Promise<Frames> {
    const user = addressedUser(client.request);
    return this.service.send(body, { agentId, caller, user, onDisconnect: query.on_disconnect }, client);
  }

  @Get(['healthz', 'v1/aibot/bots/:agentId/healthz'])
  @Public()
  @ApiOkResponse({ type: HealthzDto })
  @ApiAgKitRoute('Liveness', 'Responds as long as the server is running.', [])
  healthz(): HealthzDto {
    return { status: 'ok', timestamp: this.clock.now() };
  }
}
