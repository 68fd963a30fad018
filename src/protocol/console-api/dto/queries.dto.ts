import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Length, Matches } from 'class-validator';
import { RUN_STATES, type RunState } from '../../../run/index.js';

const STORABLE = /^[^\p{Cc}\p{Cs}]*$/u;
const NUMBER = /^([1-9]\d?|100)$/;
const EVENTS = /^([1-9]\d{0,2}|1000)$/;
const CURSOR = /^(-1|\d{1,12})$/;

/** Whose run or session is read by id. */
export class ReaderQueryDto {
  @ApiPropertyOptional({
    maxLength: 256,
    example: 'alice',
    description: 'The user it belongs to, where several users have the same id. As the header X-User-Id.',
  })
  @IsOptional()
  @IsString({ message: 'user must be a string' })
  @Length(1, 256, { message: 'user must have 1 to 256 characters' })
  @Matches(STORABLE, { message: 'user must not contain control characters' })
  user?: string;
}

/** A page of a list. */
export class PagedQueryDto extends ReaderQueryDto {
  @ApiPropertyOptional({ type: Number, minimum: 1, maximum: 100, default: 50 })
  @IsOptional()
  @Matches(NUMBER, { message: 'limit must be a whole number from 1 to 100' })
  limit?: string;

  @ApiPropertyOptional({ description: '`nextCursor` of the previous page.' })
  @IsOptional()
  @IsString({ message: 'cursor must be a string' })
  cursor?: string;
}

/** Which runs a list shows. Everything that is given must hold. */
export class RunsQueryDto extends PagedQueryDto {
  @ApiPropertyOptional({ enum: RUN_STATES, description: 'Only runs with this status.' })
  @IsOptional()
  @IsIn(RUN_STATES, { message: `status must be one of ${RUN_STATES.join(', ')}` })
  status?: RunState;

  @ApiPropertyOptional({ maxLength: 128, example: 'worker', description: 'Only runs of this agent type.' })
  @IsOptional()
  @IsString({ message: 'agent must be a string' })
  @Length(1, 128, { message: 'agent must have 1 to 128 characters' })
  @Matches(STORABLE, { message: 'agent must not contain control characters' })
  agent?: string;

  @ApiPropertyOptional({ maxLength: 32, example: 'ag-ui', description: 'Only runs that this wire has accepted.' })
  @IsOptional()
  @IsString({ message: 'wire must be a string' })
  @Length(1, 32, { message: 'wire must have 1 to 32 characters' })
  @Matches(STORABLE, { message: 'wire must not contain control characters' })
  wire?: string;

  @ApiPropertyOptional({ format: 'date-time', description: 'Only runs created at or after this time.' })
  @IsOptional()
  @IsString({ message: 'since must be a time' })
  since?: string;

  @ApiPropertyOptional({ format: 'date-time', description: 'Only runs created before this time.' })
  @IsOptional()
  @IsString({ message: 'until must be a time' })
  until?: string;

  @ApiPropertyOptional({
    maxLength: 200,
    description: 'Only runs whose `input` contains this text, or whose id or session id it is.',
  })
  @IsOptional()
  @IsString({ message: 'text must be a string' })
  @Length(1, 200, { message: 'text must have 1 to 200 characters' })
  @Matches(STORABLE, { message: 'text must not contain control characters' })
  text?: string;

  @ApiPropertyOptional({ maxLength: 256, description: 'Only runs of the session with this id.' })
  @IsOptional()
  @IsString({ message: 'session must be a string' })
  @Length(1, 256, { message: 'session must have 1 to 256 characters' })
  @Matches(STORABLE, { message: 'session must not contain control characters' })
  session?: string;
}

/** From where a stream begins. */
export class StreamQueryDto extends ReaderQueryDto {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: -1,
    description: 'The `seq` of the last event that the reader has.',
  })
  @IsOptional()
  @Matches(CURSOR, { message: 'after must be an integer of at least -1' })
  after?: string;
}

/** Which events of a run to read. */
export class EventsPageQueryDto extends StreamQueryDto {
  @ApiPropertyOptional({ type: Number, minimum: 1, maximum: 1000, default: 200 })
  @IsOptional()
  @Matches(EVENTS, { message: 'limit must be a whole number from 1 to 1000' })
  limit?: string;

  @ApiPropertyOptional({ maxLength: 200, description: 'Only events whose JSON contains this text, in any case.' })
  @IsOptional()
  @IsString({ message: 'text must be a string' })
  @Length(1, 200, { message: 'text must have 1 to 200 characters' })
  text?: string;

  @ApiPropertyOptional({
    example: 'message,interrupt',
    description: 'Only events of these types, separated by commas.',
  })
  @IsOptional()
  @IsString({ message: 'type must be a string' })
  type?: string;
}

/** In which wire's frames a run is shown. */
export class FramesQueryDto extends ReaderQueryDto {
  @ApiPropertyOptional({
    example: 'ag-ui',
    default: 'agent-api',
    description: 'The wire; `GET /api/v1/console` lists them.',
  })
  @IsOptional()
  @IsString({ message: 'wire must be the name of a wire' })
  wire?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 0, default: 0, description: 'How many frames the reader has.' })
  @IsOptional()
  @Matches(/^\d{1,12}$/, { message: 'after must be an integer of at least 0' })
  after?: string;
}

/** Which messages of a session to read. */
export class MessagesPageQueryDto extends PagedQueryDto {
  @ApiPropertyOptional({ enum: ['asc', 'desc'], default: 'desc', description: 'By age; `desc`: newest first.' })
  @IsOptional()
  @IsIn(['asc', 'desc'], { message: 'order must be asc or desc' })
  order?: 'asc' | 'desc';
}
