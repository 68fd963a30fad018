import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { TokenUsageDto } from './run.dto.js';

const TIME = { type: String, format: 'date-time', nullable: true } as const;

/** The types of the events of a run log. */
export const EVENT_TYPES = [
  'response',
  'message',
  'content',
  'state',
  'step',
  'activity',
  'custom',
  'raw',
  'subagent',
  'interrupt',
] as const;

/** One event of a run log. */
export class LoggedEventDto {
  @ApiProperty({ example: 0, description: 'Its number in the log, from 0, without gaps.' })
  seq!: number;

  @ApiProperty({ format: 'date-time', description: 'When it was committed.' })
  at!: string;

  @ApiProperty({ enum: EVENT_TYPES, example: 'message' })
  type!: string;

  @ApiProperty({ type: Object, example: { object: 'message', status: 'created', id: 'msg_1', type: 'message' } })
  event!: object;
}

/** A page of events, in order. */
export class EventPageDto {
  @ApiProperty({ type: [LoggedEventDto] })
  data!: readonly LoggedEventDto[];

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'The `after` of the next page; null if no committed event follows. A page looks at 5,000 events at most, so with `text` or `type` it may have fewer than `limit` events, or none, although more follow.',
  })
  nextCursor!: string | null;

  @ApiProperty({ description: 'How many events the run has so far.' })
  total!: number;
}

/** A step of a journal: a model call, a tool call, or a step of the agent’s own. */
export class JournalStepDto {
  @ApiProperty({ example: 'model:0' })
  key!: string;

  @ApiProperty({ enum: ['begun', 'finished', 'failed'], description: 'failed: `output` has the `error`.' })
  status!: string;

  @ApiProperty({ ...TIME, description: 'null in journals of earlier versions.' })
  startedAt!: string | null;

  @ApiProperty({ ...TIME, description: 'null until it is finished.' })
  endedAt!: string | null;

  @ApiProperty({ type: Object, nullable: true, description: 'What a recovered run gets instead of repeating it.' })
  output!: object | null;

  @ApiProperty({ type: [String], description: 'The messages that it has written.' })
  messageIds!: readonly string[];
}

/** The journal of a run. */
export class JournalDto {
  @ApiProperty({ type: [JournalStepDto] })
  data!: readonly JournalStepDto[];

  @ApiProperty({ type: String, nullable: true, description: 'Always null: a journal is one page.' })
  nextCursor!: string | null;
}

/** The kinds of spans. */
export const SPAN_KINDS = [
  'queue',
  'model',
  'tool',
  'step',
  'phase',
  'subagent',
  'approval',
  'input',
  'recovery',
  'agent',
] as const;
/** A kind of span. */
export type SpanKind = (typeof SPAN_KINDS)[number];

/** How spans end. */
export const SPAN_STATUSES = [
  'running',
  'completed',
  'failed',
  'canceled',
  'approved',
  'edited',
  'answered',
  'unanswered',
  'denied',
  'refused',
  'invalid',
  'expired',
  'in_doubt',
] as const;
/** How a span ended; `running` if it has not. */
export type SpanStatus = (typeof SPAN_STATUSES)[number];

/** A part of a run with a beginning and an end. */
export class SpanDto {
  @ApiProperty({ example: 'model:0', description: 'Unique in the run.' })
  id!: string;

  @ApiProperty({
    enum: SPAN_KINDS,
    description:
      'queue: waits to be started; step: a step of the agent’s own; phase: announced by the agent; approval, input: waits for a person; recovery: another worker continues, of this server or of a remote agent; agent: what is being executed is not known yet.',
  })
  kind!: SpanKind;

  @ApiProperty({ example: 'model call 1' })
  name!: string;

  @ApiProperty({
    enum: SPAN_STATUSES,
    description:
      'Of what a person was asked: approved, edited (approved with other arguments), answered, denied, expired (nobody answered in time), unanswered (the user went on with something else). Of a tool call also: denied: a person said no; unanswered and expired: nobody has; refused: the policy did; invalid: the arguments do not match, or there is no such tool; in_doubt: it may have taken effect, and is not repeated. canceled: the run was stopped.',
  })
  status!: SpanStatus;

  @ApiProperty({ format: 'date-time' })
  startedAt!: string;

  @ApiProperty({ ...TIME, description: 'null while it lasts. Equal to `startedAt` for a moment, such as a recovery.' })
  endedAt!: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'The span that contains it: that of a subagent.' })
  parentId!: string | null;

  @ApiPropertyOptional({ type: TokenUsageDto, description: 'Of a model call whose provider reports it.' })
  usage?: TokenUsageDto;

  @ApiPropertyOptional({ description: 'Of a tool call, or of the approval of one.', example: 'call_1' })
  callId?: string;

  @ApiPropertyOptional({ description: 'Of an approval or an input.' })
  interruptId?: string;

  @ApiPropertyOptional({ description: 'The event that records it, where there is one.' })
  seq?: number;

  @ApiPropertyOptional({
    type: Object,
    description:
      'More of it: the `model` that answered, `error` and `retries` of a model call, `failure` of a tool call, the status of an interrupt, the discarded messages.',
  })
  details?: object;
}

/** What a run did, as spans. */
export class TimelineDto {
  @ApiProperty({ example: 'response_1' })
  runId!: string;

  @ApiProperty({ example: 'completed' })
  status!: string;

  @ApiProperty({ format: 'date-time' })
  startedAt!: string;

  @ApiProperty({ ...TIME, description: 'null while the run has not ended.' })
  endedAt!: string | null;

  @ApiProperty({ type: [SpanDto], description: 'By their beginning. Those of the journal are lost with the events.' })
  spans!: readonly SpanDto[];
}
