import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Caller, namedUser, Needs } from '../../access/index.js';
import {
  AgentRegistry,
  AgentShapes,
  isRemoteAgent,
  type RegisteredAgent,
  RemoteAgents,
  type RemoteAgentView,
} from '../../agent/index.js';
import { AppError, type JsonObject, mayUseTool } from '../../common/index.js';
import { isListed, serverLabelOf, type ServerTool, ToolInvoker, ToolRegistry } from '../../agent/tools/index.js';
import { DtoPipe } from '../http/index.js';
import { ReadRoute } from './api-docs.js';
import {
  type AgentDto,
  AgentListDto,
  McpServerListDto,
  PolicyAnswerDto,
  PolicyQuestionDto,
  type RemoteAgentDto,
  RemoteAgentListDto,
  ServerToolListDto,
} from './dto/catalog.dto.js';
import { ReaderQueryDto } from './dto/queries.dto.js';

/** The time zone of a call that is only tried out: the arguments that depend on it are shown, not used. */
const TIME_ZONE = 'UTC';

/** Agents, tools and MCP servers (contract console, section 5). */
@ApiTags('Agents and tools')
@Controller('api/v1')
export class CatalogController {
  constructor(
    private readonly agents: AgentRegistry,
    private readonly shapes: AgentShapes,
    private readonly tools: ToolRegistry,
    private readonly invoker: ToolInvoker,
    private readonly remotes: RemoteAgents,
  ) {}

  @Get('agents')
  @Needs('runs:read')
  @ApiOkResponse({ type: AgentListDto })
  @ReadRoute('List agents', 'Those that the caller may run.', [])
  listAgents(@Caller() caller: Caller): AgentListDto {
    const data = this.agents.listFor(caller.authority).map((agent) => ({
      name: agent.name,
      description: agent.description,
      isDefault: agent.name === this.agents.defaultName,
      exposure: agent.exposure,
      recovery: agent.recovery,
      ...this.shapes.viewOf(agent),
      model: isRemoteAgent(agent.agent) ? null : this.shapes.modelNameOf(agent),
      ...remoteOf(agent, caller),
    }));
    return { data, nextCursor: null };
  }

  @Get('remote-agents')
  @Needs('ops:read')
  @ApiOkResponse({ type: RemoteAgentListDto })
  @ReadRoute('List remote agents', 'Their state as this process sees it; no request is sent to them.', [403])
  listRemoteAgents(): RemoteAgentListDto {
    const data = this.remotes.views().map((view) => {
      const { name, description, exposure } = view;
      return { name, description, exposure, ...remoteDto(view) };
    });
    return { data, nextCursor: null };
  }

  @Get('tools')
  @Needs('runs:read')
  @ApiOkResponse({ type: ServerToolListDto })
  @ReadRoute('List tools', 'The tools of the server and of its MCP servers that the caller may use.', [])
  async listTools(@Caller() caller: Caller): Promise<ServerToolListDto> {
    const { principal, authority } = caller;
    const all = await this.tools.list();
    const set = await this.tools.toolSet([], { authority });
    const data = all
      .filter((tool) => isOffered(tool, caller))
      .map((tool) => ({
        name: tool.name,
        description: tool.description,
        parameters: tool.parameters,
        effects: tool.effects,
        annotations: tool.annotations ?? null,
        server: serverLabelOf(tool),
        timeoutMs: tool.timeoutMs,
        mayAsk: this.invoker.mayRequireApproval(tool.name, set, {
          principal,
          authority,
          agentType: this.agents.defaultName,
        }),
      }));
    return { data, nextCursor: null };
  }

  @Post('tools/:name/policy')
  @Needs('runs:read')
  @HttpCode(200)
  @ApiBody({
    type: PolicyQuestionDto,
    examples: { call: { summary: 'A call', value: { arguments: { title: 'Lunch', start: '2026-01-31T12:00:00' } } } },
  })
  @ApiOkResponse({ type: PolicyAnswerDto })
  @ReadRoute(
    'Ask the policy about a call',
    'What would happen to a call with these arguments: nothing is called and nothing is stored. Roles are those of the caller.',
    [400, 403, 404],
  )
  async ask(
    @Param('name') name: string,
    @Query(DtoPipe) { user }: ReaderQueryDto,
    @Body(DtoPipe) question: PolicyQuestionDto,
    @Caller() caller: Caller,
  ): Promise<PolicyAnswerDto> {
    const tool = await this.tools.find(name);
    if (!tool || !isOffered(tool, caller)) throw new AppError('TOOL_NOT_FOUND');
    const { arguments: args = {}, agent: agentType = this.agents.defaultName } = question;
    if (!this.agents.isKnownTo(caller.authority, agentType)) throw new AppError('AGENT_NOT_FOUND');
    const { tools: list } = this.agents.shapeOf(agentType);
    if (list && !isListed(tool, list))
      throw new AppError('TOOL_NOT_FOUND', `The agent ${agentType} has no tool ${name}`);
    const preview = this.invoker.preview(tool, args as JsonObject, {
      principal: caller.actingFor(namedUser('user', user)),
      authority: caller.authority,
      agentType,
      timeZone: TIME_ZONE,
    });
    if ('problem' in preview) return { decision: 'invalid', rule: null, reason: preview.problem, arguments: null };
    const { decision, args: completed } = preview;
    if (decision.effect === 'allow') return { decision: 'allow', rule: null, reason: null, arguments: completed };
    const { effect, rule, reason } = decision;
    if (effect === 'deny') return { decision: effect, rule, reason, arguments: completed };
    const { mayEdit, expiresInMs, approvers } = decision;
    const shown = approvers && { approvers };
    return { decision: effect, rule, reason, arguments: completed, mayEdit, expiresInMs, ...shown };
  }

  @Get('mcp-servers')
  @Needs('ops:read')
  @ApiOkResponse({ type: McpServerListDto })
  @ReadRoute('List MCP servers', 'Their state as this process sees it; no request is sent to them.', [403])
  async listServers(): Promise<McpServerListDto> {
    const states = this.tools.servers();
    const tools = states.some(({ state }) => state === 'up') ? await this.tools.list() : [];
    const data = states.map(({ label, state, required }) => ({
      label,
      state,
      required,
      tools: tools
        .filter(({ origin }) => origin.kind === 'mcp' && origin.serverLabel === label)
        .map(({ name }) => name),
    }));
    return { data, nextCursor: null };
  }
}

function isOffered({ name }: ServerTool, { authority }: Caller): boolean {
  return authority === null || mayUseTool(authority, name);
}

/** Where an agent that runs elsewhere is and how it is, for operators. */
function remoteOf({ agent }: RegisteredAgent, { scopes }: Caller): Pick<AgentDto, 'remote'> {
  if (!isRemoteAgent(agent) || !scopes.has('ops:read')) return {};
  return { remote: remoteDto(agent.remote) };
}

function remoteDto(view: RemoteAgentView): RemoteAgentDto {
  const { kind, address, required, onLoss, state, inFlight, reattachments, lastError } = view;
  const failure = lastError && { ...lastError, at: lastError.at.toISOString() };
  return { kind, address, required, onLoss, state, inFlight, reattachments, lastError: failure };
}
