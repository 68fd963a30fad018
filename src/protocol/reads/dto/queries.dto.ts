import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Length, Matches } from 'class-validator';
import { RUN_STATES, type RunState } from '../../../run/index.js';
import { OptionalText, PageCursor, PageLimit } from '../../http/index.js';

const CURSOR = /^(-1|\d{1,12})$/;

/** The query of a run or session that is read by id: its user. */
export class ReaderQueryDto {
  @OptionalText({
    maxLength: 256,
    example: 'alice',
    description: 'The user it belongs to, where several users have the same id. As the header X-User-Id.',
  })
  user?: string;
}

/** A page of a list. */
export class PagedQueryDto extends ReaderQueryDto {
  @PageLimit(100, 50)
  limit?: string;

  @PageCursor()
  cursor?: string;
}

/** Which runs a list shows. Everything that is given must hold. */
export class RunsQueryDto extends PagedQueryDto {
  @ApiPropertyOptional({ enum: RUN_STATES, description: 'Only runs with this status.' })
  @IsOptional()
  @IsIn(RUN_STATES, { message: `status must be one of ${RUN_STATES.join(', ')}` })
  status?: RunState;

  @OptionalText({ maxLength: 128, example: 'worker', description: 'Only runs of this agent type.' })
  agent?: string;

  @OptionalText({ maxLength: 32, example: 'ag-ui', description: 'Only runs that this wire has accepted.' })
  wire?: string;

  @ApiPropertyOptional({ format: 'date-time', description: 'Only runs created at or after this time.' })
  @IsOptional()
  @IsString({ message: 'since must be a time' })
  since?: string;

  @ApiPropertyOptional({ format: 'date-time', description: 'Only runs created before this time.' })
  @IsOptional()
  @IsString({ message: 'until must be a time' })
  until?: string;

  @OptionalText({
    maxLength: 200,
    description: 'Only runs whose `input` contains this text, or whose id or session id it is.',
  })
  text?: string;

  @OptionalText({ maxLength: 256, description: 'Only runs of the session with this id.' })
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
  @PageLimit(1000, 200)
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
