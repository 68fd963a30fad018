import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { AppError } from '../../common/index.js';
import { ShapePipe } from '../http/index.js';
import { UserId } from './ag-kit-exchange.js';
import { ApiAgentId, ApiAgKitRoute } from './api-docs.js';
import { Conversations } from './conversations.js';
import {
  ConversationBodyDto,
  ConversationCreatedDto,
  ConversationListDto,
  ConversationsQueryDto,
  SuccessDto,
} from './dto/conversation.dto.js';
import { PublicAgents } from './public-agents.js';

/** `/v1/aibot/bots/{agentId}/conversation`: the sessions, as this wire calls them. */
@ApiTags('AG-Kit')
@Controller('v1/aibot/bots/:agentId/conversation')
export class ConversationsController {
  constructor(
    private readonly agents: PublicAgents,
    private readonly conversations: Conversations,
  ) {}

  @Post()
  @HttpCode(200)
  @ApiAgentId()
  @ApiOkResponse({ type: ConversationCreatedDto })
  @ApiAgKitRoute('Make a conversation', 'An empty one; a first message makes one, too.', [400, 404, 409])
  async create(
    @Param('agentId') agentId: string,
    @Body() body: unknown,
    @UserId() userId: string | undefined,
  ): Promise<ConversationCreatedDto> {
    this.agents.get(agentId);
    const { conversationId, title } = new ShapePipe(ConversationBodyDto).transform(body ?? {}, { type: 'body' });
    return { conversationId: await this.conversations.create(userId, conversationId, title) };
  }

  @Get()
  @ApiAgentId()
  @ApiOkResponse({ type: ConversationListDto })
  @ApiAgKitRoute('List conversations', 'The one that changed last comes first.', [400, 404])
  list(
    @Param('agentId') agentId: string,
    @Query(new ShapePipe(ConversationsQueryDto)) { offset = '0', limit = '10' }: ConversationsQueryDto,
    @UserId() userId: string | undefined,
  ): Promise<ConversationListDto> {
    this.agents.get(agentId);
    return this.conversations.list(userId, Number(offset), Number(limit));
  }

  @Patch(':conversationId')
  @ApiAgentId()
  @ApiOkResponse({ type: SuccessDto })
  @ApiAgKitRoute('Rename a conversation', 'Sets its title.', [400, 404])
  async rename(
    @Param('agentId') agentId: string,
    @Param('conversationId') conversationId: string,
    @Body(new ShapePipe(ConversationBodyDto)) { title }: ConversationBodyDto,
    @UserId() userId: string | undefined,
  ): Promise<SuccessDto> {
    this.agents.get(agentId);
    if (title === undefined) throw new AppError('MISSING_PARAMETER', 'title is required');
    await this.conversations.rename(userId, conversationId, title);
    return { success: true };
  }

  @Delete(':conversationId')
  @ApiAgentId()
  @ApiOkResponse({ type: SuccessDto })
  @ApiAgKitRoute('Remove a conversation', 'With its messages and runs; what runs is stopped first.', [404, 409])
  async remove(
    @Param('agentId') agentId: string,
    @Param('conversationId') conversationId: string,
    @UserId() userId: string | undefined,
  ): Promise<SuccessDto> {
    this.agents.get(agentId);
    await this.conversations.remove(userId, conversationId);
    return { success: true };
  }
}
