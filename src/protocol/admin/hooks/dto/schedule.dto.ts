import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  IsBoolean,
  IsDefined,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { RUN_STATES, type RunState } from '../../../../run/index.js';
import { CATCH_UPS, type CatchUp, OVERLAPS, type Overlap } from '../../../../schedules/index.js';
import { Closed, PageCursor, PageLimit } from '../../../http/index.js';

const TIME = { type: String, format: 'date-time', nullable: true } as const;
const TEXT_OR_MESSAGES = {
  oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'object', additionalProperties: true } }],
};
const OBJECT = { type: 'object', additionalProperties: true, nullable: true } as const;

/** What may be chosen of a schedule. Of `cron`, `every` and `at`, one is given. */
class ScheduleOptionsDto {
  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: '0 9 * * mon-fri',
    description:
      'Five fields with names, lists, ranges, steps and `L`, or `@daily` and the like, in local times of the zone.',
  })
  @IsOptional()
  @IsString({ message: 'cron must be a string' })
  cron?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: 'PT15M',
    description: 'A duration of ISO 8601 of elapsed time, from PT1M to P366D.',
  })
  @IsOptional()
  @IsString({ message: 'every must be a string' })
  every?: string | null;

  @ApiPropertyOptional({ ...TIME, example: '2030-01-31T09:00:00Z', description: 'Once.' })
  @IsOptional()
  @IsString({ message: 'at must be a string' })
  at?: string | null;

  @ApiPropertyOptional({ example: 'Europe/Berlin', description: "IANA name. Default: the user's settings, else UTC." })
  @IsOptional()
  @IsString({ message: 'timezone must be a string' })
  timezone?: string;

  @ApiPropertyOptional({ example: 'worker', description: 'The agent type.' })
  @IsOptional()
  @IsString({ message: 'agent must be a string' })
  agent?: string;

  @ApiPropertyOptional({ default: 'new', description: '`new`: a session for each run; or the id of a session.' })
  @IsOptional()
  @IsString({ message: 'session must be a string' })
  session?: string;

  @ApiPropertyOptional({
    enum: OVERLAPS,
    default: 'skip',
    description: 'What happens at a planned time while the run of the one before has not ended.',
  })
  @IsOptional()
  @IsIn(OVERLAPS, { message: `overlap must be one of ${OVERLAPS.join(', ')}` })
  overlap?: Overlap;

  @ApiPropertyOptional({
    enum: CATCH_UPS,
    default: 'last',
    description: 'Which of the times are made up for that were missed by more than a minute: `all` means 24 at most.',
  })
  @IsOptional()
  @IsIn(CATCH_UPS, { message: `catchUp must be one of ${CATCH_UPS.join(', ')}` })
  catchUp?: CatchUp;

  @ApiPropertyOptional({
    minimum: 0,
    maximum: 600,
    default: 0,
    description: 'Spreads the beginning over these seconds.',
  })
  @IsOptional()
  @IsInt({ message: 'jitterSeconds must be a whole number from 0 to 600' })
  @Min(0, { message: 'jitterSeconds must be a whole number from 0 to 600' })
  @Max(600, { message: 'jitterSeconds must be a whole number from 0 to 600' })
  jitterSeconds?: number;

  @ApiPropertyOptional({ ...TIME, description: 'No planned time is later.' })
  @IsOptional()
  @IsString({ message: 'expiresAt must be a string' })
  expiresAt?: string | null;

  @ApiPropertyOptional({ default: true })
  @IsOptional()
  @IsBoolean({ message: 'enabled must be true or false' })
  enabled?: boolean;

  @ApiPropertyOptional({ ...OBJECT, description: 'Passed on to the agent with each run.' })
  @IsOptional()
  @IsObject({ message: 'metadata must be an object' })
  metadata?: Record<string, unknown> | null;

  @ApiPropertyOptional({
    ...OBJECT,
    example: { temperature: 0.2 },
    description: '`model`, `temperature`, `top_p`, `frequency_penalty`, `presence_penalty`, `max_tokens`, `seed`.',
  })
  @IsOptional()
  @IsObject({ message: 'modelOptions must be an object' })
  modelOptions?: Record<string, unknown> | null;
}

/** What can be changed of a schedule. What is left out stays. */
@Closed()
export class UpdateScheduleDto extends ScheduleOptionsDto {
  @ApiPropertyOptional({ maxLength: 256, example: 'Morning report' })
  @IsOptional()
  @IsString({ message: 'name must be a string' })
  @MaxLength(256, { message: 'name must have at most 256 characters' })
  name?: string;

  @ApiPropertyOptional({ ...TEXT_OR_MESSAGES, example: 'Write the morning report.' })
  @IsOptional()
  input?: unknown;
}

/** The body of `POST /api/v1/schedules`. */
@Closed()
export class CreateScheduleDto extends ScheduleOptionsDto {
  @ApiProperty({ maxLength: 256, example: 'Morning report' })
  @IsString({ message: 'name must be a string' })
  @MaxLength(256, { message: 'name must have at most 256 characters' })
  name!: string;

  @ApiProperty({ ...TEXT_OR_MESSAGES, example: 'Write the morning report.' })
  @IsDefined({ message: 'input is required' })
  input!: unknown;
}

/** A schedule. */
export class ScheduleDto {
  @ApiProperty({ example: 'sch_0b6f5d1c2a3e4f5061728394a5b6c7d8' })
  id!: string;

  @ApiProperty({ example: 'Morning report' })
  name!: string;

  @ApiProperty({ description: 'The user that its runs belong to.' })
  user!: string;

  @ApiProperty({ type: String, nullable: true, example: '0 9 * * mon-fri' })
  cron!: string | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  every!: string | null;

  @ApiProperty(TIME)
  at!: string | null;

  @ApiProperty({ example: 'Europe/Berlin' })
  timezone!: string;

  @ApiProperty({ example: 'worker' })
  agent!: string;

  @ApiProperty(TEXT_OR_MESSAGES)
  input!: unknown;

  @ApiProperty({ example: 'new' })
  session!: string;

  @ApiProperty({ enum: OVERLAPS })
  overlap!: Overlap;

  @ApiProperty({ enum: CATCH_UPS })
  catchUp!: CatchUp;

  @ApiProperty()
  jitterSeconds!: number;

  @ApiProperty(TIME)
  expiresAt!: string | null;

  @ApiProperty()
  enabled!: boolean;

  @ApiProperty({ type: String, nullable: true, description: 'Why the server has disabled it; null if it has not.' })
  suspendedReason!: string | null;

  @ApiProperty(OBJECT)
  metadata!: object | null;

  @ApiProperty(OBJECT)
  modelOptions!: object | null;

  @ApiProperty({ enum: ['api', 'code'], description: '`code`: an agent declares it; it is changed there.' })
  origin!: 'api' | 'code';

  @ApiProperty({ format: 'date-time' })
  createdAt!: string;

  @ApiProperty({ ...TIME, description: 'The next planned time; null if there is none.' })
  nextAt!: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'The id of the run of the last planned time.' })
  lastRunId!: string | null;

  @ApiProperty({ ...TIME, description: 'The planned time of that run.' })
  lastAt!: string | null;
}

/** One page of schedules, newest first. */
export class ScheduleListDto {
  @ApiProperty({ type: [ScheduleDto] })
  data!: readonly ScheduleDto[];

  @ApiProperty({ type: String, nullable: true, description: 'The `cursor` of the next page; null on the last page.' })
  nextCursor!: string | null;
}

/** A page of a list. */
export class SchedulePageQueryDto {
  @PageLimit(100, 20)
  limit?: string;

  @PageCursor()
  cursor?: string;
}

/** A run of a schedule. */
export class ScheduledRunDto {
  @ApiProperty({ example: 'sch_0b6f5d1c2a3e4f5061728394a5b6c7d8:1893571200000' })
  id!: string;

  @ApiProperty()
  sessionId!: string;

  @ApiProperty({ enum: RUN_STATES })
  status!: RunState;

  @ApiProperty({ ...TIME, description: 'Null for a run that was started outside of the plan.' })
  plannedAt!: string | null;

  @ApiProperty({ format: 'date-time' })
  createdAt!: string;

  @ApiProperty(TIME)
  finishedAt!: string | null;
}

/** One page of the runs of a schedule, newest first. */
export class ScheduledRunListDto {
  @ApiProperty({ type: [ScheduledRunDto] })
  data!: readonly ScheduledRunDto[];

  @ApiProperty({ type: String, nullable: true, description: 'The `cursor` of the next page; null on the last page.' })
  nextCursor!: string | null;
}

/** A run that was started outside of the plan. */
export class StartedScheduleDto {
  @ApiProperty({ example: 'sch_0b6f5d1c2a3e4f5061728394a5b6c7d8:now-1893571200000' })
  runId!: string;

  @ApiProperty()
  sessionId!: string;
}

/** The body of `POST /api/v1/schedules/preview`. */
@Closed()
export class SchedulePreviewDto {
  @ApiPropertyOptional({ type: String, nullable: true, example: '0 9 * * mon-fri' })
  @IsOptional()
  @IsString({ message: 'cron must be a string' })
  cron?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true, example: 'PT15M' })
  @IsOptional()
  @IsString({ message: 'every must be a string' })
  every?: string | null;

  @ApiPropertyOptional(TIME)
  @IsOptional()
  @IsString({ message: 'at must be a string' })
  at?: string | null;

  @ApiPropertyOptional({ example: 'Europe/Berlin', default: 'UTC' })
  @IsOptional()
  @IsString({ message: 'timezone must be a string' })
  timezone?: string;

  @ApiPropertyOptional({ minimum: 1, maximum: 100, default: 5 })
  @IsOptional()
  @IsInt({ message: 'count must be a whole number from 1 to 100' })
  @Min(1, { message: 'count must be a whole number from 1 to 100' })
  @Max(100, { message: 'count must be a whole number from 1 to 100' })
  count?: number;
}

/** The next times of a plan. */
export class ScheduleTimesDto {
  @ApiProperty({ type: [String], example: ['2030-01-31T08:00:00.000Z'] })
  times!: readonly string[];
}
