import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** A message of dialect A. It has no id. */
export class AgKitMessageDto {
  @ApiProperty({ enum: ['system', 'user', 'assistant', 'tool'] })
  role!: 'system' | 'user' | 'assistant' | 'tool';

  @ApiPropertyOptional({ description: 'Required unless the role is assistant.' })
  content?: string;

  @ApiPropertyOptional({ description: 'Of a tool message: the call it answers.' })
  toolCallId?: string;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description: 'Of an assistant message: `{id, type: "function", function: {name, arguments}}`.',
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
    description: 'A JSON Schema as JSON text, or the schema itself.',
  })
  parameters?: string | Record<string, unknown>;
}

/** The answer to an interrupt. */
export class AgKitResumeDto {
  @ApiProperty()
  interruptId!: string;

  @ApiProperty({
    description:
      'Any JSON, or its text. For an approval `{"approved": true|false, "reason"?, "arguments"?}`, true, false, or a word that says the same.',
    example: '{"approved":true}',
  })
  payload!: unknown;
}

/** A request of dialect A. Unknown keys are passed on to the agent. */
export class AgKitRequestDto {
  @ApiProperty({ description: 'The conversation; the session of every other wire.', example: 'c1', maxLength: 256 })
  conversationId!: string;

  @ApiPropertyOptional({
    type: [AgKitMessageDto],
    description: 'Only what is new. Required unless `resume` is there; an empty list asks for an empty answer.',
  })
  messages?: readonly AgKitMessageDto[];

  @ApiPropertyOptional({ type: [AgKitToolDto], description: 'The tools of the client, with every request.' })
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
export class BotRequestDto {
  @ApiProperty({ example: 'hi' })
  msg!: string;

  @ApiPropertyOptional({
    type: [BotHistoryItemDto],
    description: 'Counts only for a conversation that the server does not know.',
  })
  history?: readonly BotHistoryItemDto[];

  @ApiPropertyOptional({ description: 'Absent: a conversation of its own.' })
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
