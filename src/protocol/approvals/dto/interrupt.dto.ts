import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsObject, IsOptional, IsString, Length } from 'class-validator';
import { ApprovalDto } from './approval.dto.js';

/** An interrupt: an approval, or an input that an agent asked for. */
export class InterruptDto extends ApprovalDto {
  @ApiProperty({ enum: ['approval', 'input'] })
  kind!: 'approval' | 'input';

  @ApiProperty({ type: Object, nullable: true, description: 'The JSON Schema of the input.' })
  responseSchema!: object | null;
}

/** One page of interrupts, newest first. */
export class InterruptListDto {
  @ApiProperty({ type: [InterruptDto] })
  data!: readonly InterruptDto[];

  @ApiProperty({ type: String, nullable: true, description: 'The `cursor` of the next page; null on the last page.' })
  nextCursor!: string | null;
}

/** The body of `POST /interrupts/{id}`: an input, a decision, or `cancel`. */
export class InterruptAnswerDto {
  @ApiPropertyOptional({
    description: 'The input: any JSON that matches the response schema.',
    example: { seat: '12A' },
  })
  payload?: unknown;

  @ApiPropertyOptional({ description: 'true: nobody will answer. An approval is denied then.' })
  @IsOptional()
  @IsBoolean({ message: 'cancel must be true or false' })
  cancel?: boolean;

  @ApiPropertyOptional({ description: 'The decision about an approval.' })
  @IsOptional()
  @IsBoolean({ message: 'approve must be true or false' })
  approve?: boolean;

  @ApiPropertyOptional({ maxLength: 2000 })
  @IsOptional()
  @IsString({ message: 'reason must be a string' })
  @Length(0, 2000, { message: 'reason must have at most 2000 characters' })
  reason?: string;

  @ApiPropertyOptional({ type: Object, description: 'Replaces all arguments of the call, if `mayEdit` is true.' })
  @IsOptional()
  @IsObject({ message: 'arguments must be an object' })
  arguments?: object;
}
