import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsOptional, Matches } from 'class-validator';
import type { BusyPolicy } from '../../../run/index.js';
import { OnDisconnectQuery } from '../../http/bodies/query-checks.js';
import { RUNS_STATUSES, type RunsStatus } from '../run-names.js';

const POLICIES = ['enqueue', 'reject', 'interrupt', 'rollback'] as const;

/** The query of `POST /runs`. */
export class SubmitQueryDto {
  @ApiPropertyOptional({
    enum: POLICIES,
    default: 'enqueue',
    description:
      'If a run of the thread is unfinished: wait for it, be refused with 409, cancel it and keep its work, or cancel it and remove its messages.',
  })
  @IsOptional()
  @IsIn(POLICIES, { message: `multitask must be one of ${POLICIES.join(', ')}` })
  multitask?: BusyPolicy;

  @ApiPropertyOptional({
    enum: ['stream'],
    description: 'Returns the event stream, as does `Accept: text/event-stream`.',
  })
  @IsOptional()
  @IsIn(['stream', 'respond-async'], { message: 'prefer must be stream or respond-async' })
  prefer?: 'stream' | 'respond-async';

  @OnDisconnectQuery('continue')
  on_disconnect?: 'continue' | 'cancel';
}

/** The query of `GET /runs/{threadId}`. */
export class ListQueryDto {
  @ApiPropertyOptional({ type: Number, minimum: 1, maximum: 100, default: 20 })
  @IsOptional()
  @Matches(/^(100|[1-9]\d?)$/, { message: 'limit must be an integer from 1 to 100' })
  limit?: string;

  @ApiPropertyOptional({ description: '`nextCursor` of the previous page.' })
  @IsOptional()
  @Matches(/^\d{1,9}$/, { message: 'cursor must be the nextCursor of another page' })
  cursor?: string;

  @ApiPropertyOptional({ enum: RUNS_STATUSES })
  @IsOptional()
  @IsIn(RUNS_STATUSES, { message: `status must be one of ${RUNS_STATUSES.join(', ')}` })
  status?: RunsStatus;
}

/** The query of `GET /runs/{threadId}/{runId}`. */
export class StatusQueryDto {
  @ApiPropertyOptional({
    type: Number,
    minimum: 0,
    maximum: 55,
    description: 'Seconds to wait for a status other than the current one, or than that of If-None-Match.',
  })
  @IsOptional()
  @Matches(/^(5[0-5]|[1-4]?\d)$/, { message: 'wait must be an integer from 0 to 55' })
  wait?: string;
}

/** The body of `POST /runs/{threadId}/{runId}/cancel`. */
export class CancelRequestDto {
  @ApiPropertyOptional({
    enum: ['interrupt', 'rollback'],
    default: 'interrupt',
    description: 'rollback: later runs no longer see the messages and the state of this run.',
  })
  @IsOptional()
  @IsIn(['interrupt', 'rollback'], { message: 'mode must be interrupt or rollback' })
  mode?: 'interrupt' | 'rollback';

  @ApiPropertyOptional({ default: false, description: 'Waits for the end of the run.' })
  @IsOptional()
  @IsBoolean({ message: 'wait must be true or false' })
  wait?: boolean;
}
