import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsOptional, IsString, Matches, MaxLength } from 'class-validator';

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

  @ApiPropertyOptional({ description: '`nextCursor` of the previous page.' })
  @IsOptional()
  @IsString()
  readonly cursor?: string;
}
/** The changes that `PATCH /copilotkit/threads/{threadId}` makes. */
export class ThreadChangeDto {
  @ApiPropertyOptional({ maxLength: 500, example: 'Weather' })
  @IsOptional()
  @IsString()
  @MaxLength(500)
  readonly name?: string;

  @ApiPropertyOptional()
  @IsOptional()
  @IsBoolean()
  readonly archived?: boolean;
}
