import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { AgentResponseDto } from './event.dto.js';

/** The answer of `POST /stop`. */
export class StopAnswerDto {
  @ApiProperty({ enum: ['ok'] })
  status!: 'ok';

  @ApiProperty({
    type: [String],
    description: 'The ids of the responses that are being stopped; empty if none was running.',
  })
  stopped!: readonly string[];
}

/** The answer of `POST /process/task`. */
export class TaskSubmittedDto {
  @ApiProperty({ description: 'The id of the task; also the id of its response.' })
  task_id!: string;

  @ApiProperty({ enum: ['submitted'] })
  status!: 'submitted';

  @ApiProperty({ example: 'worker' })
  queue!: string;

  @ApiProperty()
  message!: string;
}

/** The answer of `GET /process/task/{task_id}`. */
export class TaskStatusDto {
  @ApiProperty({ enum: ['pending', 'running', 'finished', 'error'] })
  status!: 'pending' | 'running' | 'finished' | 'error';

  @ApiPropertyOptional({ type: Number, description: 'Seconds since the epoch, with a fraction; only while running.' })
  started_at?: number;

  @ApiProperty({
    type: AgentResponseDto,
    nullable: true,
    description: 'The final response, which may have failed; an error message if the task never ran.',
  })
  result!: AgentResponseDto | string | null;
}
