import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';

/** The query of `POST /process`. */
export class ProcessQueryDto {
  @ApiPropertyOptional({
    enum: ['continue', 'cancel'],
    default: 'continue',
    description: 'What happens to the run when the client leaves before the end.',
  })
  @IsOptional()
  @IsIn(['continue', 'cancel'], { message: 'on_disconnect must be continue or cancel' })
  on_disconnect?: 'continue' | 'cancel';

  @ApiPropertyOptional({
    enum: ['reject', 'enqueue'],
    description:
      'What happens when the session has a run that is not over: refuse with SESSION_BUSY, or wait for it. The default is configured.',
  })
  @IsOptional()
  @IsIn(['reject', 'enqueue'], { message: 'multitask must be reject or enqueue' })
  multitask?: 'reject' | 'enqueue';
}
