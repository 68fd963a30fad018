import { Body, Controller, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Observable } from 'rxjs';
import { ShapePipe, SsePost } from '../http/index.js';
import { type AgKitExchange, Exchange } from './ag-kit-exchange.js';
import { ApiAgentId, ApiSendMessage } from './api-docs.js';
import { SendMessageQueryDto } from './dto/send-message-query.dto.js';
import { SendMessage } from './send-message.js';

/** `POST /send-message`, of the default agent and of a named one, in all three dialects (contract ag-kit). */
@ApiTags('AG-Kit')
@Controller()
export class SendMessageController {
  constructor(private readonly service: SendMessage) {}

  @SsePost('send-message')
  @ApiSendMessage('Send messages to the default agent')
  send(
    @Body() body: unknown,
    @Query(new ShapePipe(SendMessageQueryDto)) query: SendMessageQueryDto,
    @Exchange() exchange: AgKitExchange,
  ): Promise<Observable<readonly string[]>> {
    return this.service.answer(body, undefined, exchange, query.on_disconnect !== 'continue');
  }

  @SsePost('v1/aibot/bots/:agentId/send-message')
  @ApiAgentId()
  @ApiSendMessage('Send messages to an agent')
  sendTo(
    @Param('agentId') agentId: string,
    @Body() body: unknown,
    @Query(new ShapePipe(SendMessageQueryDto)) query: SendMessageQueryDto,
    @Exchange() exchange: AgKitExchange,
  ): Promise<Observable<readonly string[]>> {
    return this.service.answer(body, agentId, exchange, query.on_disconnect !== 'continue');
  }
}
