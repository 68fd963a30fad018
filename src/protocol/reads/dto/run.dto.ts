import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { RUN_STATES, type RunState } from '../../../run/index.js';

const TIME = { type: String, format: 'date-time', nullable: true } as const;

/** Tokens that a run or a model call has used. */
export class TokenUsageDto {
  @ApiProperty({ example: 120 })
  inputTokens!: number;

  @ApiProperty({ example: 48 })
  outputTokens!: number;

  @ApiProperty({ example: 168 })
  totalTokens!: number;

  @ApiPropertyOptional({ description: 'Part of `outputTokens`.' })
  reasoningTokens?: number;

  @ApiPropertyOptional({ description: 'Part of `inputTokens`.' })
  cachedTokens?: number;
}

/** Why a run failed. */
export class RunErrorDto {
  @ApiProperty({ example: 'MODEL_TIMEOUT' })
  code!: string;

  @ApiProperty({ example: 'The model did not answer in time' })
  message!: string;
}

/** An interrupt that the run ended with. */
export class RunInterruptDto {
  @ApiProperty({ example: 'apr_7f9d2c1e-5b1f-4a55-9d3a-0f6f3c0d8a11', description: 'As `GET /interrupts/{id}`.' })
  id!: string;

  @ApiProperty({ enum: ['approval', 'input'] })
  kind!: string;

  @ApiProperty({ example: 'pending' })
  status!: string;

  @ApiProperty({ type: String, nullable: true })
  toolName!: string | null;

  @ApiProperty({ description: 'Whether a person has approved it with other arguments than those of the model.' })
  isEdited!: boolean;

  @ApiProperty({ type: String, nullable: true, description: 'The run that continues with the answer.' })
  resumedByRunId!: string | null;
}

/** The first run of a turn: what one message of a user has caused, with the answers to what was asked. */
export class RunTurnDto {
  @ApiProperty({ example: 'response_5d0c9c1b-55a1-4d0f-8f38-2c9a2f0c7b11' })
  id!: string;

  @ApiProperty({ type: String, nullable: true, example: 'Schedule a meeting with Ana', description: 'Its `input`.' })
  input!: string | null;
}

/** A run in a list. */
export class RunSummaryDto {
  @ApiProperty({ example: 'response_7f9d2c1e-5b1f-4a55-9d3a-0f6f3c0d8a11' })
  id!: string;

  @ApiProperty({ example: 'session-1' })
  sessionId!: string;

  @ApiProperty({ example: 'alice', description: 'The user it belongs to.' })
  userId!: string;

  @ApiProperty({ example: 'worker' })
  agent!: string;

  @ApiProperty({ example: 'ag-ui', description: 'The wire that has accepted it.' })
  wire!: string;

  @ApiProperty({ enum: RUN_STATES, example: 'completed' })
  status!: RunState;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: '1 for the next run of its session; null unless the run is queued.',
  })
  queuePosition!: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The model that the request names; null if it names none.',
  })
  model!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'gpt-5-mini-2025-08-07',
    description:
      'The model that made the newest answer, as its server names it; null before the run has ended, and if none did.',
  })
  answeredBy!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'What is the weather in Graz?',
    description: 'The first 200 characters of the newest text of the user in the request.',
  })
  input!: string | null;

  @ApiProperty({ example: 1, description: 'How often it was started; more than 1 after a recovery.' })
  attempt!: number;

  @ApiProperty({ format: 'date-time' })
  createdAt!: string;

  @ApiProperty(TIME)
  startedAt!: string | null;

  @ApiProperty(TIME)
  endedAt!: string | null;

  @ApiProperty({ type: TokenUsageDto, nullable: true })
  usage!: TokenUsageDto | null;

  @ApiProperty({ type: RunErrorDto, nullable: true })
  error!: RunErrorDto | null;

  @ApiProperty({
    type: RunTurnDto,
    nullable: true,
    description: 'The run that this one continues with an answer; null for the first run of a turn.',
  })
  turn!: RunTurnDto | null;

  @ApiProperty({
    type: String,
    enum: ['approval', 'input', 'client'],
    nullable: true,
    description:
      'What an interrupted run waits for: a decision, a value, or results of tools of the client. null once its turn went on, or cannot any more.',
  })
  waitsFor!: 'approval' | 'input' | 'client' | null;

  @ApiProperty({ description: 'Whether a run that was interrupted is continued by the next one of its session.' })
  isContinued!: boolean;

  @ApiProperty({ type: [RunInterruptDto], description: 'What an interrupted run has asked.' })
  interrupts!: readonly RunInterruptDto[];
}

/** One page of runs, newest first. */
export class RunListDto {
  @ApiProperty({ type: [RunSummaryDto] })
  data!: readonly RunSummaryDto[];

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'The `cursor` of the next page; null on the last page. A page looks at 5,000 runs at most, so with filters it may have fewer than `limit` runs, or none, although more follow.',
  })
  nextCursor!: string | null;
}

/** A worker was lost, and another one continued the run. */
export class TakeoverDto {
  @ApiProperty({ example: 2, description: 'The attempt that began.' })
  attempt!: number;

  @ApiProperty({ format: 'date-time' })
  at!: string;

  @ApiProperty({ description: 'The number of the event that records it.' })
  seq!: number;

  @ApiProperty({ description: 'How many finished steps were not repeated.' })
  resumedFromStep!: number;

  @ApiProperty({ type: [String], description: 'Messages that were discarded and written again.' })
  discardedMessageIds!: readonly string[];
}

/** A run in full. */
export class RunDetailDto extends RunSummaryDto {
  @ApiProperty({ description: 'Its number in its session.' })
  ordinal!: number;

  @ApiProperty({ description: 'How many events are committed.' })
  eventCount!: number;

  @ApiProperty({ ...TIME, description: 'When its events were removed; null while it has them.' })
  eventsRemovedAt!: string | null;

  @ApiProperty({ ...TIME, description: 'When its cancellation was requested first.' })
  cancelRequestedAt!: string | null;

  @ApiProperty({ description: 'True for a run that failed because it took too long.' })
  timedOut!: boolean;

  @ApiProperty({ type: String, nullable: true, description: 'The client’s id of the run, unique in its session.' })
  runKey!: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'The client’s id of the run before.' })
  parentRunId!: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'The process that executes it; null while none does.' })
  worker!: string | null;

  @ApiProperty({ type: [TakeoverDto], description: 'Where the run was recovered, oldest first.' })
  takeovers!: readonly TakeoverDto[];

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why the caller may not cancel it, whether or not it has ended; null if it may.',
  })
  refusal!: string | null;

  @ApiProperty({
    type: Object,
    nullable: true,
    description:
      'Who started it and what it may do; null without authentication. Only the kind of the actor unless the caller is that actor or has `data:tenant`.',
    example: {
      actor: { kind: 'key', id: 's1WDTnnBttOI', account: 'ci' },
      roles: [],
      agents: [],
      tools: [],
      models: [],
    },
  })
  authority!: object | null;
}

/** The request of a run as the server has stored it. */
export class RunRequestDto {
  @ApiProperty({ example: 'ag-ui' })
  wire!: string;

  @ApiProperty({ example: 'worker' })
  agent!: string;

  @ApiProperty({ type: [Object], description: 'The messages that the session did not have yet.' })
  input!: readonly object[];

  @ApiProperty({
    type: Object,
    description: 'Tools and restrictions, model options, client time, forwarded properties, state.',
    example: { clientTools: [], modelOptions: {}, clientTime: null, forwardedProps: {} },
  })
  settings!: object;

  @ApiProperty({ type: Object, description: 'What the wire stores with the run.' })
  wireData!: object;
}
