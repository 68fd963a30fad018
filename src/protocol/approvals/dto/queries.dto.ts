import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, Matches } from 'class-validator';
import { INTERRUPT_STATUSES } from '../../../agent/interrupt/index.js';
import { OptionalText, PageCursor, PageLimit } from '../../http/index.js';

/** The query of an interrupt: its user. */
export class OwnerQueryDto {
  @OptionalText({
    maxLength: 256,
    example: 'alice',
    description: 'Only those of this user. Without it, and without authentication, those of all users.',
  })
  user_id?: string;
}

const STATUS = `(?:${INTERRUPT_STATUSES.join('|')})`;

/** Which interrupts a list shows. */
export class InterruptsQueryDto extends OwnerQueryDto {
  @ApiPropertyOptional({
    pattern: `^${STATUS}(?:,${STATUS})*$`,
    example: 'approved,denied',
    description: `Only those with one of these: ${INTERRUPT_STATUSES.join(', ')}; several are separated by commas.`,
  })
  @IsOptional()
  @Matches(new RegExp(`^${STATUS}(?:,${STATUS})*$`), {
    message: `status must be one of ${INTERRUPT_STATUSES.join(', ')}, or several, separated by commas`,
  })
  status?: string;

  @OptionalText({ maxLength: 256, description: 'Only those of this session.' })
  session_id?: string;

  @PageLimit(100, 20)
  limit?: string;

  @PageCursor()
  cursor?: string;
}
