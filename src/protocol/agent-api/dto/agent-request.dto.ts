import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { IsOptional, IsString, Length } from 'class-validator';
import { StartingAfterQuery, StreamQuery } from '../../http/bodies/query-checks.js';
import { MessageDto } from './message.dto.js';

/** The query of `GET /process/{responseId}`. */
export class ResumeQueryDto {
  @StreamQuery()
  stream?: 'true' | 'false';

  @StartingAfterQuery()
  starting_after?: string;
}

/** The body of `POST /stop`: a session or a response. Other fields of a `/process` body are ignored. */
export class StopRequestDto {
  @ApiPropertyOptional({
    maxLength: 256,
    example: 'session-1',
    description: 'Stops all unfinished runs of this session.',
  })
  @IsOptional()
  @IsString({ message: 'session_id must be a string' })
  @Length(1, 256, { message: 'session_id must have 1 to 256 characters' })
  session_id?: string;

  @ApiPropertyOptional({
    maxLength: 256,
    example: 'alice',
    description: 'The user of the session; by default the session id, as in POST /process.',
  })
  @IsOptional()
  @IsString({ message: 'user_id must be a string' })
  @Length(1, 256, { message: 'user_id must have 1 to 256 characters' })
  user_id?: string;

  @ApiPropertyOptional({ maxLength: 128, description: 'Stops this run only.' })
  @IsOptional()
  @IsString({ message: 'response_id must be a string' })
  @Length(1, 128, { message: 'response_id must have 1 to 128 characters' })
  response_id?: string;
}

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
    description: 'The messages of this request. Earlier messages of the session need not be repeated.',
  })
  input!: MessageDto[];

  @ApiPropertyOptional({ default: true, description: 'false: one JSON response when the run has ended.' })
  stream?: boolean;

  @ApiPropertyOptional({
    maxLength: 128,
    description: 'The id of the response. The same request with the same id returns the same run.',
  })
  id?: string;

  @ApiPropertyOptional({ maxLength: 128, description: 'Another name of `id`.' })
  response_id?: string;

  @ApiPropertyOptional({ maxLength: 256, example: 'session-1', description: 'Without it, a new session is created.' })
  session_id?: string;

  @ApiPropertyOptional({ maxLength: 256, example: 'alice', description: 'Default: the session id.' })
  user_id?: string;

  @ApiPropertyOptional({
    type: 'array',
    maxItems: 100,
    items: { oneOf: [{ $ref: getSchemaPath(ToolDto) }, { $ref: getSchemaPath(ToolFunctionDto) }] },
    description: 'Client tools.',
  })
  tools?: unknown[];

  @ApiPropertyOptional({ type: AgentApiForwardedPropsDto })
  forwarded_props?: AgentApiForwardedPropsDto;

  @ApiPropertyOptional({ description: 'The model to use, if the server allows clients to choose it.' })
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
    description: 'Accepted without effect; one response is generated.',
  })
  n?: number;
}
