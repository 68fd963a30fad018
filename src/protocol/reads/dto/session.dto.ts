import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** The newest run of a session. */
export class LastRunDto {
  @ApiProperty({ example: 'response_1' })
  id!: string;

  @ApiProperty({ example: 'worker' })
  agent!: string;

  @ApiProperty({ example: 'ag-ui' })
  wire!: string;

  @ApiProperty({ example: 'completed' })
  status!: string;

  @ApiProperty({ type: String, nullable: true, description: 'The first words of its input.' })
  input!: string | null;

  @ApiProperty({
    type: String,
    enum: ['approval', 'input', 'client'],
    nullable: true,
    description: 'As `waitsFor` of a run.',
  })
  waitsFor!: 'approval' | 'input' | 'client' | null;
}

/** A session in a list. */
export class SessionSummaryDto {
  @ApiProperty({ example: 'session-1' })
  id!: string;

  @ApiProperty({ example: 'alice' })
  userId!: string;

  @ApiProperty({ format: 'date-time' })
  createdAt!: string;

  @ApiProperty({ format: 'date-time' })
  updatedAt!: string;

  @ApiProperty({ description: 'How many messages were added to it, including removed ones.' })
  messageCount!: number;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'What is the weather in Graz?',
    description: 'The first 200 characters of the first text of the user; null if its runs have none.',
  })
  title!: string | null;

  @ApiProperty({ type: LastRunDto, nullable: true })
  lastRun!: LastRunDto | null;
}

/** One page of sessions, the last changed first. */
export class SessionListDto {
  @ApiProperty({ type: [SessionSummaryDto] })
  data!: readonly SessionSummaryDto[];

  @ApiProperty({ type: String, nullable: true, description: 'The `cursor` of the next page; null on the last page.' })
  nextCursor!: string | null;
}

/** A session. */
export class SessionDetailDto extends SessionSummaryDto {
  @ApiProperty({ type: Object, description: 'What its owner stores with it.' })
  metadata!: object;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why a request of the caller may not go on with it; null if it may.',
  })
  refusal!: string | null;
}

/** A message of a session. */
export class SessionMessageDto {
  @ApiProperty({ description: 'Grows with every message of the session; may have gaps.' })
  seq!: number;

  @ApiProperty({ type: String, nullable: true, description: 'null: it was added outside of a run.' })
  runId!: string | null;

  @ApiProperty({ format: 'date-time' })
  createdAt!: string;

  @ApiProperty({ type: Object, description: 'As the Agent API shows it.' })
  message!: object;
}

/** A page of messages. */
export class SessionMessagesDto {
  @ApiProperty({ type: [SessionMessageDto] })
  data!: readonly SessionMessageDto[];

  @ApiProperty({ type: String, nullable: true, description: 'The `cursor` of the next page; null on the last page.' })
  nextCursor!: string | null;
}

/** A change of the shared state. */
export class StateChangeDto {
  @ApiProperty({ example: 'response_1' })
  runId!: string;

  @ApiProperty({ description: 'The number of the event in the log of that run.' })
  seq!: number;

  @ApiProperty({ format: 'date-time' })
  at!: string;

  @ApiProperty({ enum: ['snapshot', 'delta'] })
  kind!: string;

  @ApiPropertyOptional({ description: 'True for the state that the run began with.' })
  initial?: boolean;

  @ApiPropertyOptional({ type: Object, description: 'Of a snapshot: the whole state.' })
  snapshot?: unknown;

  @ApiPropertyOptional({ type: [Object], description: 'Of a delta: an RFC 6902 patch.' })
  patch?: readonly object[];
}

/** The shared state of a session, and how it came about. */
export class SessionStateDto {
  @ApiProperty({ type: Object, description: 'The state now.' })
  state!: object;

  @ApiProperty({ format: 'date-time' })
  updatedAt!: string;

  @ApiProperty({ type: [StateChangeDto], description: 'Newest first, as far as the events were not removed.' })
  data!: readonly StateChangeDto[];

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'The `cursor` of the next page of changes; null on the last page. A page looks at 50 runs at most, so it may have fewer than `limit` changes, or none, although more follow.',
  })
  nextCursor!: string | null;
}
