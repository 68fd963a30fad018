import { Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Caller, type NamedUser, Needs } from '../../access/index.js';
import type { RegisteredAgent } from '../../agent/index.js';
import { DtoPipe } from '../http/index.js';
import { WireController } from '../wire/index.js';
import { AddressedUser } from './addressed-user.decorator.js';
import { AgKitAgents } from './ag-kit-agents.js';
import { AgKitConversations } from './ag-kit-conversations.service.js';
import { AgKitWire } from './ag-kit.wire.js';
import { ApiAgentId, ApiAgKitRoute } from './api-docs.js';
import { BotInfoDto, BotListDto, RecordListDto, RecordsQueryDto } from './dto/conversation.dto.js';

/** `GET /v1/aibot/bots` with the description of one, and the messages of its conversations. */
@ApiTags('AG-Kit')
@Needs('runs:read')
@WireController(AgKitWire, 'v1/aibot/bots')
export class AgKitBotsController {
  constructor(
    private readonly agents: AgKitAgents,
    private readonly conversations: AgKitConversations,
  ) {}

  @Get()
  @ApiOkResponse({ type: BotListDto })
  @ApiAgKitRoute('List the agents', 'The agents that the caller may run.', [])
  list(@Caller() caller: Caller): BotListDto {
    const botList = this.agents.list(caller).map(botOf);
    return { botList, total: botList.length };
  }

  @Get(':agentId')
  @ApiAgentId()
  @ApiOkResponse({ type: BotInfoDto })
  @ApiAgKitRoute('Describe an agent', 'The name and the description of an agent.', [404])
  get(@Param('agentId') agentId: string, @Caller() caller: Caller): BotInfoDto {
    return botOf(this.agents.get(agentId, caller));
  }

  @Get(':agentId/records')
  @ApiAgentId()
  @ApiOkResponse({ type: RecordListDto })
  @ApiAgKitRoute('Read a conversation', 'The messages of user and agent, page by page, from all wires.', [400, 404])
  records(
    @Param('agentId') agentId: string,
    @Query(DtoPipe) query: RecordsQueryDto,
    @Caller() caller: Caller,
    @AddressedUser() user: NamedUser | undefined,
  ): Promise<RecordListDto> {
    this.agents.get(agentId, caller);
    const { conversationId, sort = 'desc', pageNumber = '1', pageSize = '10' } = query;
    const page = { conversationId, sort, pageNumber: Number(pageNumber), pageSize: Number(pageSize) };
    return this.conversations.records({ caller, user }, agentId, page);
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
