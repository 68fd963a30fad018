import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { INTERRUPT_STATUSES, type InterruptStatus } from '../../../interrupt/index.js';
import { OptionalText, PageCursor, PageLimit } from '../../http/index.js';

/** Whose interrupts. */
export class OwnerQueryDto {
  @OptionalText({
    maxLength: 256,
    example: 'alice',
    description: 'Only those of this user. Without it, and without authentication, those of all users.',
  })
  user_id?: string;
}

/** Which interrupts a list shows. */
export class InterruptsQueryDto extends OwnerQueryDto {
  @ApiPropertyOptional({ enum: INTERRUPT_STATUSES, description: 'Only those with this status.' })
  @IsOptional()
  @IsIn(INTERRUPT_STATUSES, { message: `status must be one of ${INTERRUPT_STATUSES.join(', ')}` })
  status?: InterruptStatus;

  @OptionalText({ maxLength: 256, description: 'Only those of this session.' })
  session_id?: string;

  @PageLimit(100, 20)
  limit?: string;

  @PageCursor()
  cursor?: string;
}
