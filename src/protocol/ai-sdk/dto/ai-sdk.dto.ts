import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

const OBJECT = { type: 'object', additionalProperties: true } as const;
const PARTS = { type: 'array', items: OBJECT } as const;

/** A message as pages have it. */
export class UiMessageDto {
  @ApiProperty()
  id!: string;

  @ApiProperty({ enum: ['user', 'assistant', 'system'] })
  role!: string;

  @ApiProperty({ ...PARTS, description: '`text`, `reasoning`, `file`, `dynamic-tool`, `tool-NAME`, `data-NAME` …' })
  parts!: object[];

  @ApiPropertyOptional({ ...OBJECT, description: '`{parley: {runId, createdAt, usage}}` of answers.' })
  metadata?: object;
}

/** The body of `POST /ai-sdk`. Fields that are not listed are ignored. */
export class ChatRequestDto {
  @ApiProperty({ minLength: 1, maxLength: 256, description: 'The chat: the id of its session.', example: 'chat-1' })
  id!: string;

  @ApiPropertyOptional({ type: [UiMessageDto], description: 'The chat as the page has it. The last message counts.' })
  messages?: UiMessageDto[];

  @ApiPropertyOptional({ type: UiMessageDto, description: 'The last message alone, in place of `messages`.' })
  message?: UiMessageDto;

  @ApiPropertyOptional({ enum: ['submit-message', 'regenerate-message'], default: 'submit-message' })
  trigger?: string;

  @ApiPropertyOptional({ nullable: true, description: 'The message that is edited, or the answer to generate again.' })
  messageId?: string;

  @ApiPropertyOptional({ description: 'The agent type. The one in the path counts before.' })
  agentId?: string;

  @ApiPropertyOptional({ description: 'Instructions for this answer only.' })
  system?: string;

  @ApiPropertyOptional({
    oneOf: [PARTS, OBJECT],
    description: 'Tools of the page: `{name, description?, inputSchema}` as a list, or by name.',
  })
  tools?: object;

  @ApiPropertyOptional({
    type: 'array',
    items: OBJECT,
    description: 'Answers to approvals and questions: `{interruptId, approved?, reason?, payload?}`.',
  })
  answers?: object[];

  @ApiPropertyOptional({ ...OBJECT, description: 'The shared state, which it replaces.' })
  state?: object;

  @ApiPropertyOptional({ ...OBJECT, description: '`device_timezone`, `client_now_iso`, `client_epoch_ms`.' })
  clientTime?: object;

  @ApiPropertyOptional({ example: 'en' })
  locale?: string;

  @ApiPropertyOptional({ ...OBJECT, description: 'Kept with the run.' })
  metadata?: object;
}

/** The body of `POST /ai-sdk/{chatId}/stop`. */
export class ChatStopDto {
  @ApiPropertyOptional({ description: 'Only this run. Without it whatever is in progress.' })
  runId?: string;
}

/** The answer of `GET /ai-sdk/{chatId}/messages`. */
export class ChatMessagesDto {
  @ApiProperty({ type: [UiMessageDto] })
  messages!: UiMessageDto[];

  @ApiProperty({ type: String, nullable: true, description: 'The run that the stream of the chat brings.' })
  activeRunId!: string | null;
}

/** A chunk of a stream. */
export class ChunkDto {
  @ApiProperty({
    example: 'text-delta',
    description:
      '`start`, `start-step`, `text-start`, `text-delta`, `text-end`, `reasoning-…`, `tool-input-…`, `tool-output-…`, `tool-approval-request`, `file`, `source-…`, `data-…`, `message-metadata`, `finish-step`, `finish`, `abort`, `error`',
  })
  type!: string;
}

/** All that the document refers to. */
export const CHAT_DTOS = [UiMessageDto, ChunkDto];
