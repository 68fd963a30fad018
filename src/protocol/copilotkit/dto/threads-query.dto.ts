import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Matches } from 'class-validator';

/** The query of `POST /copilotkit/threads/clear`. */
export class ClearQueryDto {
  @ApiPropertyOptional({ description: 'Only threads whose last run was of this agent.' })
  @IsOptional()
  @IsString()
  readonly agentId?: string;
}

/** The query of `GET /copilotkit/threads`. */
export class ThreadsQueryDto extends ClearQueryDto {
  @ApiPropertyOptional({ enum: ['true', 'false'] })
  @IsOptional()
  @IsString()
  readonly includeArchived?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 200, default: 50 })
  @IsOptional()
  @Matches(/^([1-9]|[1-9]\d|1\d\d|200)$/, { message: 'limit must be from 1 to 200' })
  readonly limit?: string;

  @ApiPropertyOptional({ description: '`nextCursor` of the page before.' })
  @IsOptional()
  @IsString()
  readonly cursor?: string;
}
