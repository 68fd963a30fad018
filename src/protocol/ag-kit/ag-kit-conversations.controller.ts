import { Body, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Caller, type NamedUser, Needs } from '../../access/index.js';
import { AppError } from '../../common/index.js';
import { DtoPipe, toDto } from '../http/index.js';
import { WireController } from '../wire/index.js';
import { AddressedUser } from './addressed-user.decorator.js';
import { AgKitAgents } from './ag-kit-agents.js';
import { AgKitConversations } from './ag-kit-conversations.service.js';
import { AgKitWire } from './ag-kit.wire.js';
import { ApiAgentId, ApiAgKitRoute } from './api-docs.js';
import {
  ConversationBodyDto,
  ConversationCreatedDto,
  ConversationListDto,
  ConversationsQueryDto,
  SuccessDto,
} from './dto/conversation.dto.js';

/** `/v1/aibot/bots/{agentId}/conversation`: the sessions, as this wire calls them. */
@ApiTags('AG-Kit')
@Needs('runs:write')
@WireController(AgKitWire, 'v1/aibot/bots/:agentId/conversation')
export class AgKitConversationsController {
  constructor(
    private readonly agents: AgKitAgents,
    private readonly conversations: AgKitConversations,
  ) {}

  @Post()
  @HttpCode(200)
  @ApiAgentId()
  @ApiOkResponse({ type: ConversationCreatedDto })
  @ApiAgKitRoute(
    'Create a conversation',
    'Creates an empty conversation. The first message creates one too.',
    [400, 404, 409],
  )
  async create(
    @Param('agentId') agentId: string,
    @Body() body: unknown,
    @Caller() caller: Caller,
    @AddressedUser() user: NamedUser | undefined,
  ): Promise<ConversationCreatedDto> {
    this.agents.get(agentId, caller);
    const { conversationId, title } = toDto(ConversationBodyDto, body ?? {});
    return { conversationId: await this.conversations.create({ caller, user }, conversationId, title) };
  }

  @Get()
  @Needs('runs:read')
  @ApiAgentId()
  @ApiOkResponse({ type: ConversationListDto })
  @ApiAgKitRoute('List conversations', 'The most recently changed conversation comes first.', [400, 404])
  list(
    @Param('agentId') agentId: string,
    @Query(DtoPipe) { offset = '0', limit = '10' }: ConversationsQueryDto,
    @Caller() caller: Caller,
    @AddressedUser() user: NamedUser | undefined,
  ): Promise<ConversationListDto> {
    this.agents.get(agentId, caller);
    return this.conversations.list({ caller, user }, Number(offset), Number(limit));
  }

  @Patch(':conversationId')
  @ApiAgentId()
  @ApiOkResponse({ type: SuccessDto })
  @ApiAgKitRoute('Rename a conversation', 'Sets its title.', [400, 404])
  async rename(
    @Param('agentId') agentId: string,
    @Param('conversationId') conversationId: string,
    @Body(DtoPipe) { title }: ConversationBodyDto,
    @Caller() caller: Caller,
    @AddressedUser() user: NamedUser | undefined,
  ): Promise<SuccessDto> {
    this.agents.get(agentId, caller);
    if (title === undefined) throw new AppError('MISSING_PARAMETER', 'title is required');
    await this.conversations.rename({ caller, user }, conversationId, title);
    return { success: true };
  }

  @Delete(':conversationId')
  @ApiAgentId()
  @ApiOkResponse({ type: SuccessDto })
  @ApiAgKitRoute(
    'Delete a conversation',
    'Deletes the conversation with its messages and runs. Runs in progress are stopped first.',
    [404, 409],
  )
  async remove(
    @Param('agentId') agentId: string,
    @Param('conversationId') conversationId: string,
    @Caller() caller: Caller,
    @AddressedUser() user: NamedUser | undefined,
  ): Promise<SuccessDto> {
    this.agents.get(agentId, caller);
    await this.conversations.remove({ caller, user }, conversationId);
    return { success: true };
  }
}
