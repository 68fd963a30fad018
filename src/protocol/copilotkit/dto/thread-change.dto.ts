import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsOptional, IsString, MaxLength } from 'class-validator';

/** What may be changed of a thread. */
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
