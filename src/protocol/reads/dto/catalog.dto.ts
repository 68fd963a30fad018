import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsObject, IsOptional, IsString, Length, Matches } from 'class-validator';
import { PLAIN_TEXT } from '../../../common/index.js';

/** The last failure of a remote agent. */
export class RemoteFailureDto {
  @ApiProperty({ format: 'date-time' })
  at!: string;

  @ApiProperty({ example: 'UPSTREAM_LOST' })
  code!: string;

  @ApiProperty()
  message!: string;
}

/** An agent that runs elsewhere, as this process sees it. */
export class RemoteAgentDto {
  @ApiProperty({ example: 'ag-ui', description: 'The protocol.' })
  kind!: string;

  @ApiProperty({ example: 'https://travel.example/v1', description: 'Without secrets.' })
  address!: string;

  @ApiProperty({ description: 'Whether the server is not ready while it does not answer.' })
  required!: boolean;

  @ApiProperty({
    enum: ['continue', 'fail', 'resend'],
    description: 'What becomes of an exchange whose connection or process is lost; `resend`: it begins again.',
  })
  onLoss!: string;

  @ApiProperty({ enum: ['idle', 'up', 'down'], description: '`idle`: not asked yet.' })
  state!: string;

  @ApiProperty({ description: 'Exchanges in progress.' })
  inFlight!: number;

  @ApiProperty({ description: 'Connections that were lost and made again.' })
  reattachments!: number;

  @ApiProperty({ type: RemoteFailureDto, nullable: true })
  lastError!: RemoteFailureDto | null;
}

/** A remote agent in the list of all of them. */
export class ListedRemoteAgentDto extends RemoteAgentDto {
  @ApiProperty({ example: 'travel', description: 'Its agent type.' })
  name!: string;

  @ApiProperty({ example: 'Plans journeys.' })
  description!: string;

  @ApiProperty({ enum: ['public', 'internal'] })
  exposure!: string;
}

/** All remote agents. */
export class RemoteAgentListDto {
  @ApiProperty({ type: [ListedRemoteAgentDto] })
  data!: readonly ListedRemoteAgentDto[];

  @ApiProperty({ type: String, nullable: true, description: 'Always null: all agents are on one page.' })
  nextCursor!: string | null;
}

/** An agent that the caller may run. */
export class AgentDto {
  @ApiProperty({ example: 'worker', description: 'The agent type.' })
  name!: string;

  @ApiProperty({ example: 'Answers questions and uses tools.' })
  description!: string;

  @ApiProperty({ description: 'Whether requests that name no agent get this one.' })
  isDefault!: boolean;

  @ApiProperty({ enum: ['public', 'internal'] })
  exposure!: string;

  @ApiProperty({ enum: ['journal', 'restart', 'fail'], description: 'What happens with a run whose worker was lost.' })
  recovery!: string;

  @ApiProperty({
    type: [String],
    nullable: true,
    example: ['get_order', 'files/*'],
    description: 'Names and globs of the tools of the server that it has; null: all.',
  })
  tools!: readonly string[] | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'fast',
    description:
      'The model that answers requests which name none: the one that the agent has chosen, or the default one, by its `name` in the list of models. Null for an agent that runs elsewhere.',
  })
  model!: string | null;

  @ApiProperty({
    type: Object,
    example: { temperature: 0.2, maxTokens: 2000 },
    description: 'What it asks of the model with every call; options of a request take precedence.',
  })
  modelOptions!: object;

  @ApiProperty({ description: 'Model calls that one run of it may make.' })
  maxSteps!: number;

  @ApiPropertyOptional({
    type: RemoteAgentDto,
    description: 'Of an agent that runs elsewhere; for callers with the scope `ops:read`.',
  })
  remote?: RemoteAgentDto;
}

/** All agents that the caller may run. */
export class AgentListDto {
  @ApiProperty({ type: [AgentDto] })
  data!: readonly AgentDto[];

  @ApiProperty({ type: String, nullable: true, description: 'Always null: all agents are on one page.' })
  nextCursor!: string | null;
}

/** A tool of the server. */
export class ServerToolDto {
  @ApiProperty({ example: 'calendar_write' })
  name!: string;

  @ApiProperty()
  description!: string;

  @ApiProperty({ type: Object, description: 'The JSON Schema of its arguments.', example: { type: 'object' } })
  parameters!: object;

  @ApiProperty({
    enum: ['none', 'idempotent', 'unsafe'],
    description: 'What a repeated call would do; `unsafe` calls are never repeated.',
  })
  effects!: string;

  @ApiProperty({ type: Object, nullable: true, description: 'The hints of its provider, as MCP defines them.' })
  annotations!: object | null;

  @ApiProperty({ example: 'local', description: 'The label of its MCP server; `local` for a tool of this server.' })
  server!: string;

  @ApiProperty({ description: 'Milliseconds after which a call is aborted.' })
  timeoutMs!: number;

  @ApiProperty({ description: 'Whether calls can need an approval, depending on their arguments.' })
  mayAsk!: boolean;
}

/** All tools that the caller may use. */
export class ServerToolListDto {
  @ApiProperty({ type: [ServerToolDto] })
  data!: readonly ServerToolDto[];

  @ApiProperty({ type: String, nullable: true, description: 'Always null: all tools are on one page.' })
  nextCursor!: string | null;
}

/** A call that is to be tried out on the policy. */
export class PolicyQuestionDto {
  @ApiPropertyOptional({
    type: Object,
    default: {},
    example: { title: 'Lunch' },
    description: 'The arguments of the call.',
  })
  @IsOptional()
  @IsObject({ message: 'arguments must be an object' })
  arguments?: object;

  @ApiPropertyOptional({
    maxLength: 128,
    description: 'The agent type that would make it. Default: the default agent.',
  })
  @IsOptional()
  @IsString({ message: 'agent must be a string' })
  @Length(1, 128, { message: 'agent must have 1 to 128 characters' })
  @Matches(PLAIN_TEXT, { message: 'agent must not contain control characters' })
  agent?: string;
}

/** What the policy decides about a call. Nothing is called. */
export class PolicyAnswerDto {
  @ApiProperty({
    enum: ['allow', 'ask', 'deny', 'invalid'],
    example: 'ask',
    description: '`invalid`: the arguments do not match the schema, so the policy is not asked.',
  })
  decision!: string;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'The position, from 0, of the rule that decides; null if none does.',
  })
  rule!: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The reason of the rule, or what is wrong with the arguments.',
  })
  reason!: string | null;

  @ApiProperty({ type: Object, nullable: true, description: 'The arguments as the tool would get them.' })
  arguments!: object | null;

  @ApiPropertyOptional({ description: 'Of `ask`: whether the person may change the arguments.' })
  mayEdit?: boolean;

  @ApiPropertyOptional({ description: 'Of `ask`: milliseconds until the approval expires.' })
  expiresInMs?: number;

  @ApiPropertyOptional({
    type: Object,
    description: 'Of `ask`: who may decide; absent: whoever may decide approvals.',
    example: { roles: ['finance'], notOwner: true },
  })
  approvers?: object;
}

/** A configured MCP server. */
export class McpServerDto {
  @ApiProperty({ example: 'files' })
  label!: string;

  @ApiProperty({ enum: ['idle', 'connecting', 'up', 'down'], description: 'idle: not used yet.' })
  state!: string;

  @ApiProperty({ description: 'Whether the server is not ready without it.' })
  required!: boolean;

  @ApiProperty({ type: [String], description: 'The names of its tools that are available now.' })
  tools!: readonly string[];
}

/** All configured MCP servers. */
export class McpServerListDto {
  @ApiProperty({ type: [McpServerDto] })
  data!: readonly McpServerDto[];

  @ApiProperty({ type: String, nullable: true, description: 'Always null: all servers are on one page.' })
  nextCursor!: string | null;
}
