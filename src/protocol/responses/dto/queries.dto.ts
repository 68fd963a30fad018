import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Matches } from 'class-validator';
import { StreamQuery, StartingAfterQuery } from '../../http/bodies/query-checks.js';

/** The query of `GET /responses/{id}`. */
export class RetrieveQueryDto {
  @StreamQuery()
  stream?: 'true' | 'false';

  @StartingAfterQuery()
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
