import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { OnDisconnectQuery } from '../../http/bodies/query-checks.js';

/** The query of `POST /process`. */
export class ProcessQueryDto {
  @OnDisconnectQuery('continue')
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
