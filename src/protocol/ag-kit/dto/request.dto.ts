import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { OnDisconnectQuery } from '../../http/bodies/query-checks.js';

/** A message of dialect A. It has no id. */
export class AgKitMessageDto {
  @ApiProperty({ enum: ['system', 'user', 'assistant', 'tool'] })
  role!: 'system' | 'user' | 'assistant' | 'tool';

  @ApiPropertyOptional({ description: 'Required unless the role is assistant.' })
  content?: string;

  @ApiPropertyOptional({ description: 'For a tool message: the id of the call that it answers.' })
  toolCallId?: string;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description: 'For an assistant message: `{id, type: "function", function: {name, arguments}}`.',
  })
  toolCalls?: readonly Record<string, unknown>[];
}

/** A tool that the client runs itself. */
export class AgKitToolDto {
  @ApiProperty({ example: 'set-background' })
  name!: string;

  @ApiPropertyOptional()
  description?: string;

  @ApiPropertyOptional({
    oneOf: [{ type: 'string' }, { type: 'object', additionalProperties: true }],
    description: 'A JSON Schema, as an object or as JSON text.',
  })
  parameters?: string | Record<string, unknown>;
}

/** The answer to an interrupt. */
export class AgKitResumeDto {
  @ApiProperty()
  interruptId!: string;

  @ApiProperty({
    description:
      'Any JSON, or JSON text. For an approval: `{"approved": true|false, "reason"?, "arguments"?}`, true, false, or a word such as "yes".',
    example: '{"approved":true}',
  })
  payload!: unknown;
}

/** Who a request acts for. */
export class NamedUserDto {
  @ApiPropertyOptional({ maxLength: 256, description: 'The user, if the credential may act for others.' })
  user_id?: string;

  @ApiPropertyOptional({ maxLength: 256, description: 'The same as `user_id`.' })
  userId?: string;
}

/** A request of dialect A. Unknown keys are passed on to the agent. */
export class AgKitRequestDto extends NamedUserDto {
  @ApiProperty({ description: 'The conversation, which is the session on other wires.', example: 'c1', maxLength: 256 })
  conversationId!: string;

  @ApiPropertyOptional({
    type: [AgKitMessageDto],
    description: 'New messages only. Required without `resume`. An empty list gets an empty response.',
  })
  messages?: readonly AgKitMessageDto[];

  @ApiPropertyOptional({ type: [AgKitToolDto], description: "The client's tools, sent with every request." })
  tools?: readonly AgKitToolDto[];

  @ApiPropertyOptional({ type: AgKitResumeDto })
  resume?: AgKitResumeDto;
}

/** A message of the older bot dialect's history. */
export class BotHistoryItemDto {
  @ApiProperty({ enum: ['user', 'assistant', 'system'] })
  role!: 'user' | 'assistant' | 'system';

  @ApiProperty()
  content!: string;
}

/** A request of dialect C, text only. */
export class BotRequestDto extends NamedUserDto {
  @ApiProperty({ example: 'hi' })
  msg!: string;

  @ApiPropertyOptional({
    type: [BotHistoryItemDto],
    description: 'Used only if the server does not know the conversation.',
  })
  history?: readonly BotHistoryItemDto[];

  @ApiPropertyOptional({ description: 'Without it, a new conversation is created.' })
  conversationId?: string;
}

/** The error body of the AG-Kit routes. */
export class AgKitErrorBodyDto {
  @ApiProperty({ example: 'CONVERSATION_BUSY' })
  code!: string;

  @ApiProperty()
  message!: string;

  @ApiPropertyOptional({ type: 'array', items: { type: 'object', additionalProperties: true } })
  details?: readonly Record<string, unknown>[];

  @ApiPropertyOptional()
  requestId?: string;
}

/** The query of `POST /send-message`. */
export class SendMessageQueryDto {
  @OnDisconnectQuery('cancel')
  on_disconnect?: 'continue' | 'cancel';
}

const background = {
  name: 'set-background',
  description: 'Sets the background colour.',
  parameters: '{"type":"object","properties":{"color":{"type":"string"}},"required":["color"]}',
};

/** Runnable requests of `send-message`, one for each thing it can do. */
export const SEND_MESSAGE_EXAMPLES = {
  basic: {
    summary: 'AG-Kit: a question',
    value: { conversationId: 'example', messages: [{ role: 'user', content: 'Hello, who are you?' }] },
  },
  'server-tool': {
    summary: 'AG-Kit: a tool of the server',
    value: { conversationId: 'example', messages: [{ role: 'user', content: 'What is the weather in Paris?' }] },
  },
  'client-tool': {
    summary: 'AG-Kit: a tool of the client',
    value: {
      conversationId: 'example-tool',
      messages: [{ role: 'user', content: 'Set the background to blue.' }],
      tools: [background],
    },
  },
  'ag-ui': {
    summary: 'AG-UI on the same path',
    value: { threadId: 'example', messages: [{ id: 'm1', role: 'user', content: 'Hello, who are you?' }] },
  },
  bot: { summary: 'The older bot dialect', value: { msg: 'Hello, who are you?', history: [] } },
} as const;
