import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { RegisteredAgent } from '../../agent/index.js';
import { ShapePipe } from '../http/index.js';
import { UserId } from './ag-kit-exchange.js';
import { ApiAgentId, ApiAgKitRoute } from './api-docs.js';
import { Conversations } from './conversations.js';
import { BotInfoDto, BotListDto, RecordListDto, RecordsQueryDto } from './dto/conversation.dto.js';
import { PublicAgents } from './public-agents.js';

/** `GET /v1/aibot/bots` and what is known of one: its description, and what was said to it. */
@ApiTags('AG-Kit')
@Controller('v1/aibot/bots')
export class BotsController {
  constructor(
    private readonly agents: PublicAgents,
    private readonly conversations: Conversations,
  ) {}

  @Get()
  @ApiOkResponse({ type: BotListDto })
  @ApiAgKitRoute('List the agents', 'The agents that requests may name.', [])
  list(): BotListDto {
    const botList = this.agents.list().map(botOf);
    return { botList, total: botList.length };
  }

  @Get(':agentId')
  @ApiAgentId()
  @ApiOkResponse({ type: BotInfoDto })
  @ApiAgKitRoute('Describe an agent', 'Its name and what it does.', [404])
  get(@Param('agentId') agentId: string): BotInfoDto {
    return botOf(this.agents.get(agentId));
  }

  @Get(':agentId/records')
  @ApiAgentId()
  @ApiOkResponse({ type: RecordListDto })
  @ApiAgKitRoute('Read a conversation', 'What user and agent said, a page at a time; of any wire.', [400, 404])
  records(
    @Param('agentId') agentId: string,
    @Query(new ShapePipe(RecordsQueryDto)) query: RecordsQueryDto,
    @UserId() userId: string | undefined,
  ): Promise<RecordListDto> {
    this.agents.get(agentId);
    const { conversationId, sort = 'desc', pageNumber = '1', pageSize = '10' } = query;
    const page = { conversationId, sort, pageNumber: Number(pageNumber), pageSize: Number(pageSize) };
    return this.conversations.records(userId, agentId, page);
  }
}

function botOf({ name, description }: RegisteredAgent): BotInfoDto {
  return {
    botId: name,
    name,
    introduction: description,
    welcomeMessage: '',
    initQuestions: [],
    multiConversationEnable: true,
  };
}
