import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Matches } from 'class-validator';

/** The query of `GET /runs/{runId}/events`. */
export class AttachQueryDto {
  @ApiPropertyOptional({
    default: 'agent-api',
    example: 'ag-ui',
    description: 'The wire whose frames are used.',
  })
  @IsOptional()
  @IsString({ message: 'protocol must be the name of a wire' })
  protocol?: string;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    default: 0,
    description: "How many of that wire's frames the reader has; the stream begins with the next one.",
  })
  @IsOptional()
  @Matches(/^\d{1,12}$/, { message: 'after must be an integer of at least 0' })
  after?: string;

  @ApiPropertyOptional({
    enum: ['run', 'session'],
    default: 'run',
    description:
      'session: the later runs of the session follow in the same stream, which stays open while the last run is interrupted. `after` counts the frames of all of them.',
  })
  @IsOptional()
  @IsIn(['run', 'session'], { message: 'follow must be run or session' })
  follow?: 'run' | 'session';
}
