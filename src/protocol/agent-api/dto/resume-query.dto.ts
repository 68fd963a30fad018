import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, Matches } from 'class-validator';

/** The query of `GET /process/{responseId}`. */
export class ResumeQueryDto {
  @ApiPropertyOptional({
    enum: ['true', 'false'],
    default: 'false',
    description: 'Whether to stream the events instead of returning the current response.',
  })
  @IsOptional()
  @IsIn(['true', 'false'], { message: 'stream must be true or false' })
  stream?: 'true' | 'false';

  @ApiPropertyOptional({
    type: 'integer',
    minimum: -1,
    default: -1,
    description: 'With stream=true: the sequence_number of the last event that the client has.',
  })
  @IsOptional()
  @Matches(/^(-1|\d{1,15})$/, { message: 'starting_after must be an integer of at least -1' })
  starting_after?: string;
}
