import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Matches } from 'class-validator';

/** The query of `GET /responses/{id}`. */
export class RetrieveQueryDto {
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

/** The query of every list of items. */
export class PageQueryDto {
  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 100, default: 20 })
  @IsOptional()
  @Matches(/^([1-9]\d?|100)$/, { message: 'limit must be an integer from 1 to 100' })
  limit?: string;

  @ApiPropertyOptional({ enum: ['asc', 'desc'], default: 'desc' })
  @IsOptional()
  @IsIn(['asc', 'desc'], { message: 'order must be asc or desc' })
  order?: 'asc' | 'desc';

  @ApiPropertyOptional({ description: 'The id of the last item of the previous page.' })
  @IsOptional()
  @IsString({ message: 'after must be one id' })
  after?: string;
}
