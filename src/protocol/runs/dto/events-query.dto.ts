import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString } from 'class-validator';

/** The query of `GET /runs/{threadId}/events`. */
export class EventsQueryDto {
  @ApiPropertyOptional({
    description: 'The run. Default: the run of the cursor, otherwise the newest run of the thread.',
  })
  @IsOptional()
  @IsString({ message: 'runId must be given once' })
  runId?: string;

  @ApiPropertyOptional({
    example: '1-3',
    description: 'The cursor, for clients that cannot set the header Last-Event-ID. The header takes precedence.',
  })
  @IsOptional()
  @IsString({ message: 'lastEventId must be given once' })
  lastEventId?: string;

  @ApiPropertyOptional({
    enum: ['start', 'snapshot', 'now'],
    default: 'start',
    description: 'Without a cursor: all events, a snapshot of messages and state, or only new events.',
  })
  @IsOptional()
  @IsIn(['start', 'snapshot', 'now'], { message: 'from must be start, snapshot or now' })
  from?: 'start' | 'snapshot' | 'now';

  @ApiPropertyOptional({ enum: ['run', 'thread'], default: 'run', description: 'thread: continues with later runs.' })
  @IsOptional()
  @IsIn(['run', 'thread'], { message: 'follow must be run or thread' })
  follow?: 'run' | 'thread';
}
