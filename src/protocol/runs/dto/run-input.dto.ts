import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';

/** A text block. */
export class TextBlockDto {
  @ApiProperty({ enum: ['text'] })
  type!: 'text';

  @ApiProperty({ description: 'At most 10,000 characters (code points) in all text blocks of the message together.' })
  text!: string;
}

/** An attachment; at most three in a message. AG-UI's image parts with a `url` source are taken too. */
export class BinaryBlockDto {
  @ApiProperty({ enum: ['binary'] })
  type!: 'binary';

  @ApiProperty({ pattern: '^image/[a-z0-9.+-]+$', example: 'image/png' })
  mimeType!: string;

  @ApiProperty({ description: 'A signed URL of this server.' })
  url!: string;

  @ApiPropertyOptional()
  id?: string;

  @ApiPropertyOptional()
  filename?: string;
}

/** A message. The first is the user's, and the only one of the user. */
@ApiExtraModels(TextBlockDto, BinaryBlockDto)
export class RunMessageDto {
  @ApiProperty({ maxLength: 256, example: 'msg-001' })
  id!: string;

  @ApiProperty({ enum: ['user', 'assistant', 'system', 'developer', 'tool', 'reasoning', 'activity'] })
  role!: string;

  @ApiPropertyOptional({
    oneOf: [
      { type: 'string' },
      { type: 'array', items: { oneOf: [TextBlockDto, BinaryBlockDto].map((dto) => ({ $ref: getSchemaPath(dto) })) } },
    ],
  })
  content?: unknown;

  @ApiPropertyOptional()
  name?: string;

  @ApiPropertyOptional({ type: [Object], description: 'For assistant messages.' })
  toolCalls?: readonly object[];

  @ApiPropertyOptional({ description: 'For tool messages.' })
  toolCallId?: string;

  @ApiPropertyOptional()
  encryptedValue?: string;
}

/** A tool of the front-end: passed through and replayed, never one of the server's. */
export class RunToolDto {
  @ApiProperty()
  name!: string;

  @ApiProperty()
  description!: string;

  @ApiProperty({ type: Object, description: 'A JSON Schema.' })
  parameters!: object;
}

/** Something the front-end tells the agent of the situation. */
export class RunContextDto {
  @ApiProperty()
  description!: string;

  @ApiProperty()
  value!: string;
}

/** The client's time. */
export class RunsClientTimeDto {
  @ApiProperty({ example: 'America/Los_Angeles', description: 'An IANA name.' })
  device_timezone!: string;

  @ApiProperty({ example: '2026-03-16T09:12:33-07:00', description: 'RFC 3339 with an offset.' })
  client_now_iso!: string;

  @ApiProperty({ example: 1773658353000, description: 'Milliseconds since the epoch.' })
  client_epoch_ms!: number;
}

/** Exactly these keys. */
export class RunsForwardedPropsDto {
  @ApiProperty({ example: 'worker' })
  agent_type!: string;

  @ApiPropertyOptional({ type: RunsClientTimeDto })
  client_time?: RunsClientTimeDto;
}

/** The body of `POST /runs`, at most 262,144 bytes. snake_case spellings are taken too. */
export class RunsRunAgentInputDto {
  @ApiProperty({ format: 'uuid' })
  threadId!: string;

  @ApiProperty({ minLength: 1, maxLength: 128, description: 'Chosen by the client; unique within the thread.' })
  runId!: string;

  @ApiPropertyOptional({ maxLength: 128 })
  parentRunId?: string;

  @ApiPropertyOptional({ type: Object, description: 'An object replaces the shared state of the thread.' })
  state?: unknown;

  @ApiProperty({ type: [RunMessageDto], maxItems: 200 })
  messages!: readonly RunMessageDto[];

  @ApiPropertyOptional({ type: [RunToolDto] })
  tools?: readonly RunToolDto[];

  @ApiPropertyOptional({ type: [RunContextDto] })
  context?: readonly RunContextDto[];

  @ApiProperty({ type: RunsForwardedPropsDto })
  forwardedProps!: RunsForwardedPropsDto;
}
