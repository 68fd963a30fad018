import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { MessageDto } from './message.dto.js';

/** A tool that the client runs itself, by name, description and JSON Schema. */
export class ToolFunctionDto {
  @ApiProperty({ pattern: '^[A-Za-z0-9_.-]{1,128}$', example: 'open_window' })
  name!: string;

  @ApiPropertyOptional({ example: 'Opens a window on the screen of the user' })
  description?: string;

  @ApiPropertyOptional({
    oneOf: [{ type: 'object', additionalProperties: true }, { type: 'string' }],
    description: 'A JSON Schema, as an object or as JSON text.',
    example: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
  })
  parameters?: Record<string, unknown> | string;
}

/** The nested form of a tool. */
export class ToolDto {
  @ApiProperty({ enum: ['function'] })
  type!: 'function';

  @ApiProperty({ type: ToolFunctionDto })
  function!: ToolFunctionDto;
}

/** The clock of the user's device. */
export class AgentApiClientTimeDto {
  @ApiProperty({ example: 'Asia/Shanghai', description: 'An IANA time zone.' })
  device_timezone!: string;

  @ApiProperty({ example: '2026-03-16T09:12:33+08:00', description: 'RFC 3339 with an offset.' })
  client_now_iso!: string;

  @ApiProperty({ type: 'integer', example: 1773623553000 })
  client_epoch_ms!: number;
}

/** Properties for tools and agents, which the server passes on; it reads only `client_time`. */
export class AgentApiForwardedPropsDto {
  @ApiPropertyOptional({ type: AgentApiClientTimeDto })
  client_time?: AgentApiClientTimeDto;
}

/** The body of `POST /process`. Fields that are not listed are accepted and passed on to tools. */
@ApiExtraModels(ToolDto, ToolFunctionDto)
export class AgentRequestDto {
  @ApiProperty({
    type: [MessageDto],
    maxItems: 1000,
    description: 'The messages of this request; earlier ones of the session need not be repeated.',
  })
  input!: MessageDto[];

  @ApiPropertyOptional({ default: true, description: 'False: one JSON answer when the run is over.' })
  stream?: boolean;

  @ApiPropertyOptional({
    maxLength: 128,
    description: 'The id of the response. Repeated with the same content, the same run is shown again.',
  })
  id?: string;

  @ApiPropertyOptional({ maxLength: 128, description: 'Another name of `id`.' })
  response_id?: string;

  @ApiPropertyOptional({ maxLength: 256, example: 'session-1', description: 'A new session when absent.' })
  session_id?: string;

  @ApiPropertyOptional({ maxLength: 256, example: 'alice', description: 'By default the session id.' })
  user_id?: string;

  @ApiPropertyOptional({
    type: 'array',
    maxItems: 100,
    items: { oneOf: [{ $ref: getSchemaPath(ToolDto) }, { $ref: getSchemaPath(ToolFunctionDto) }] },
    description: 'Tools that the client runs itself.',
  })
  tools?: unknown[];

  @ApiPropertyOptional({ type: AgentApiForwardedPropsDto })
  forwarded_props?: AgentApiForwardedPropsDto;

  @ApiPropertyOptional({ description: 'The model to use, if the server lets the client choose.' })
  model?: string;

  @ApiPropertyOptional()
  temperature?: number;

  @ApiPropertyOptional()
  top_p?: number;

  @ApiPropertyOptional()
  frequency_penalty?: number;

  @ApiPropertyOptional()
  presence_penalty?: number;

  @ApiPropertyOptional({ type: 'integer', minimum: 1 })
  max_tokens?: number;

  @ApiPropertyOptional({ type: 'integer' })
  seed?: number;

  @ApiPropertyOptional({ oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] })
  stop?: string | string[];

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: 5,
    default: 1,
    description: 'Accepted; one answer is made.',
  })
  n?: number;
}
