import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';

/** The query of `POST /process`. */
export class ProcessQueryDto {
  @ApiPropertyOptional({
    enum: ['continue', 'cancel'],
    default: 'continue',
    description: 'Whether the run continues when the client disconnects before the end.',
  })
  @IsOptional()
  @IsIn(['continue', 'cancel'], { message: 'on_disconnect must be continue or cancel' })
  on_disconnect?: 'continue' | 'cancel';

  @ApiPropertyOptional({
    enum: ['reject', 'enqueue'],
    description:
      'If a run of the session is unfinished: refuse the request with SESSION_BUSY, or wait. Default: SESSION_BUSY_POLICY.',
  })
  @IsOptional()
  @IsIn(['reject', 'enqueue'], { message: 'multitask must be reject or enqueue' })
  multitask?: 'reject' | 'enqueue';
}
