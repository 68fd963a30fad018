import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString } from 'class-validator';

/** The query of `GET /runs/{threadId}/events`. */
export class EventsQueryDto {
  @ApiPropertyOptional({ description: 'Which run of the thread; the newest one, or that of the cursor, when absent.' })
  @IsOptional()
  @IsString({ message: 'runId must be given once' })
  runId?: string;

  @ApiPropertyOptional({
    example: '1-3',
    description: 'The cursor for clients that cannot set the Last-Event-ID header, which comes first.',
  })
  @IsOptional()
  @IsString({ message: 'lastEventId must be given once' })
  lastEventId?: string;

  @ApiPropertyOptional({
    enum: ['start', 'snapshot', 'now'],
    default: 'start',
    description: 'Without a cursor: every event, the messages and the state as they stand, or only what comes.',
  })
  @IsOptional()
  @IsIn(['start', 'snapshot', 'now'], { message: 'from must be start, snapshot or now' })
  from?: 'start' | 'snapshot' | 'now';

  @ApiPropertyOptional({ enum: ['run', 'thread'], default: 'run', description: 'thread: goes on with later runs.' })
  @IsOptional()
  @IsIn(['run', 'thread'], { message: 'follow must be run or thread' })
  follow?: 'run' | 'thread';
}
