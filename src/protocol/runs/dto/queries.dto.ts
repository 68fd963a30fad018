import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsOptional, Matches } from 'class-validator';
import type { BusyPolicy } from '../../../run/index.js';
import { RUNS_STATUSES, type RunsStatus } from '../run-names.js';

const POLICIES = ['enqueue', 'reject', 'interrupt', 'rollback'] as const;

/** The query of `POST /runs`. */
export class SubmitQueryDto {
  @ApiPropertyOptional({
    enum: POLICIES,
    default: 'enqueue',
    description:
      'What happens when the thread has a run that is not over: wait for it, be refused with 409, cancel it and keep its work, or cancel it and forget its messages.',
  })
  @IsOptional()
  @IsIn(POLICIES, { message: `multitask must be one of ${POLICIES.join(', ')}` })
  multitask?: BusyPolicy;

  @ApiPropertyOptional({
    enum: ['stream'],
    description: 'Answers with the events; so does `Accept: text/event-stream`.',
  })
  @IsOptional()
  @IsIn(['stream', 'respond-async'], { message: 'prefer must be stream or respond-async' })
  prefer?: 'stream' | 'respond-async';

  @ApiPropertyOptional({
    enum: ['continue', 'cancel'],
    default: 'continue',
    description: 'What happens to the run when the reader of the stream leaves before the end.',
  })
  @IsOptional()
  @IsIn(['continue', 'cancel'], { message: 'on_disconnect must be continue or cancel' })
  on_disconnect?: 'continue' | 'cancel';
}

/** The query of `GET /runs/{threadId}`. */
export class ListQueryDto {
  @ApiPropertyOptional({ type: Number, minimum: 1, maximum: 100, default: 20 })
  @IsOptional()
  @Matches(/^(100|[1-9]\d?)$/, { message: 'limit must be an integer from 1 to 100' })
  limit?: string;

  @ApiPropertyOptional({ description: '`nextCursor` of the page before.' })
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
    description: 'Seconds to wait for another status than the present one, or than the one of If-None-Match.',
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
    description: 'rollback: the run’s messages and state no longer count for later runs.',
  })
  @IsOptional()
  @IsIn(['interrupt', 'rollback'], { message: 'mode must be interrupt or rollback' })
  mode?: 'interrupt' | 'rollback';

  @ApiPropertyOptional({ default: false, description: 'Answers when the run is over.' })
  @IsOptional()
  @IsBoolean({ message: 'wait must be true or false' })
  wait?: boolean;
}
