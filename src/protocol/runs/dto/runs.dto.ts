import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ERROR_CATALOGUE } from '../../../common/index.js';
import { RUNS_STATUSES, type RunsStatus } from '../run-names.js';
import type { RunsRunView, RunsUsage } from '../status/run-view.encoder.js';

const THREAD = '550e8400-e29b-41d4-a716-446655440000';
const TASK = '0199d3f0-5c1e-7a41-9b02-3f6c8d1e7a55';

/** The answer of `POST /runs`. */
export class TaskAcceptedDto {
  @ApiProperty({ description: "The server's id of the run: a UUID of version 7.", example: TASK })
  taskId!: string;

  @ApiProperty({ format: 'uuid', example: THREAD })
  threadId!: string;

  @ApiProperty({ example: 'run-001' })
  runId!: string;

  @ApiProperty({ description: 'Whether this request created the thread.' })
  created!: boolean;
}

/** What a run failed with. */
export class RunFailureDto {
  @ApiProperty({ example: 'model_error' })
  code!: string;

  @ApiProperty()
  message!: string;
}

/** What a run used, in tokens. */
export class RunsUsageDto implements RunsUsage {
  @ApiProperty()
  inputTokens!: number;

  @ApiProperty()
  outputTokens!: number;

  @ApiProperty()
  totalTokens!: number;

  @ApiPropertyOptional({ description: 'Part of outputTokens.' })
  reasoningTokens?: number;

  @ApiPropertyOptional({ description: 'Part of inputTokens.' })
  cachedInputTokens?: number;
}

/** A run as it stands. */
export class RunViewDto implements RunsRunView {
  @ApiProperty({ description: 'A UUID of version 7. Runs of other wires have other ids.', example: TASK })
  taskId!: string;

  @ApiProperty({ example: THREAD })
  threadId!: string;

  @ApiProperty({ example: 'run-001' })
  runId!: string;

  @ApiProperty({ type: String, nullable: true })
  parentRunId!: string | null;

  @ApiProperty({ example: 'worker' })
  agentType!: string;

  @ApiProperty({ enum: RUNS_STATUSES })
  status!: RunsStatus;

  @ApiProperty({ description: 'The number of attempts.' })
  attempt!: number;

  @ApiProperty({ format: 'date-time' })
  createdAt!: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  startedAt!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  finishedAt!: string | null;

  @ApiProperty({ type: String, nullable: true, example: '1-42', description: 'Null until there is an event.' })
  lastEventId!: string | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Null only for runs whose events were removed by an earlier version.',
  })
  lastSeq!: number | null;

  @ApiProperty({ type: Number, nullable: true, description: '1 for the next run of the thread; null unless queued.' })
  queuePosition!: number | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  cancelRequestedAt!: string | null;

  @ApiProperty({ type: RunFailureDto, nullable: true })
  error!: RunFailureDto | null;

  @ApiProperty({ type: RunsUsageDto, nullable: true })
  usage!: RunsUsageDto | null;
}

/** A page of runs, newest first. */
export class RunPageDto {
  @ApiProperty({ type: [RunViewDto] })
  items!: readonly RunViewDto[];

  @ApiPropertyOptional({ description: 'The `cursor` of the next page; absent on the last page.' })
  nextCursor?: string;
}

/** What is wrong with one field. */
export class RunsErrorDetailDto {
  @ApiProperty({ example: 'messages' })
  path!: string;

  @ApiProperty()
  message!: string;

  @ApiPropertyOptional({ example: 'max' })
  rule?: string;

  @ApiPropertyOptional({ example: 200 })
  limit?: number;

  @ApiPropertyOptional({ example: 201 })
  actual?: number;
}

/** The body of every error of this wire. */
export class RunsErrorDto {
  @ApiProperty({
    example: 'too_many_messages',
    description: `In lower case: ${Object.keys(ERROR_CATALOGUE).length} codes are known; clients should expect more.`,
  })
  code!: string;

  @ApiProperty({ example: 'RunAgentInput.messages exceeds limit' })
  message!: string;

  @ApiPropertyOptional({ type: [RunsErrorDetailDto] })
  details?: readonly RunsErrorDetailDto[];

  @ApiProperty({ description: "The id of the request in the server's log." })
  requestId!: string;
}
