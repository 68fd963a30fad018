import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Length, Matches } from 'class-validator';
import { INTERRUPT_STATUSES, type InterruptStatus } from '../../../interrupt/index.js';

const STORABLE = /^[^\p{Cc}\p{Cs}]*$/u;
const NUMBER = /^([1-9]\d?|100)$/;

/** Whose interrupts. */
export class OwnerQueryDto {
  @ApiPropertyOptional({
    maxLength: 256,
    example: 'alice',
    description: 'Only those of this user. Without it, and without authentication, those of all users.',
  })
  @IsOptional()
  @IsString({ message: 'user_id must be a string' })
  @Length(1, 256, { message: 'user_id must have 1 to 256 characters' })
  @Matches(STORABLE, { message: 'user_id must not contain control characters' })
  user_id?: string;
}

/** Which interrupts a list shows. */
export class InterruptsQueryDto extends OwnerQueryDto {
  @ApiPropertyOptional({ enum: INTERRUPT_STATUSES, description: 'Only those with this status.' })
  @IsOptional()
  @IsIn(INTERRUPT_STATUSES, { message: `status must be one of ${INTERRUPT_STATUSES.join(', ')}` })
  status?: InterruptStatus;

  @ApiPropertyOptional({ maxLength: 256, description: 'Only those of this session.' })
  @IsOptional()
  @IsString({ message: 'session_id must be a string' })
  @Length(1, 256, { message: 'session_id must have 1 to 256 characters' })
  @Matches(STORABLE, { message: 'session_id must not contain control characters' })
  session_id?: string;

  @ApiPropertyOptional({ type: Number, minimum: 1, maximum: 100, default: 20 })
  @IsOptional()
  @Matches(NUMBER, { message: 'limit must be a whole number from 1 to 100' })
  limit?: string;

  @ApiPropertyOptional({ description: '`nextCursor` of the previous page.' })
  @IsOptional()
  @IsString({ message: 'cursor must be a string' })
  cursor?: string;
}
