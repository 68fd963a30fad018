import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsObject, IsOptional, IsString, Length } from 'class-validator';
import { INTERRUPT_STATUSES, type InterruptStatus } from '../../../agent/interrupt/index.js';

/** Who acted. */
export class DeciderActorDto {
  @ApiProperty({ enum: ['key', 'user', 'proxy', 'cli', 'none'] })
  kind!: string;

  @ApiProperty({ example: 'ana' })
  id!: string;

  @ApiPropertyOptional({ example: 'ci', description: 'The account of a key.' })
  account?: string;
}

/** Who answered an interrupt. */
export class DecidedByDto {
  @ApiProperty({ type: DeciderActorDto })
  actor!: DeciderActorDto;

  @ApiProperty({ example: 'ana', description: 'The user that it acted for.' })
  userId!: string;

  @ApiProperty({ example: '0f6f3c0d' })
  requestId!: string;
}

/** How an interrupt was answered. */
export class InterruptDecisionDto {
  @ApiPropertyOptional({ description: 'Of an approval.' })
  approve?: boolean;

  @ApiPropertyOptional({ description: 'Why it was denied, or not answered.' })
  reason?: string;

  @ApiPropertyOptional({ type: Object, description: 'Of an approval: the arguments that replaced those of the model.' })
  arguments?: object;

  @ApiPropertyOptional({ description: 'Of an approval: their JSON text, if they have integers beyond 2^53.' })
  argumentsText?: string;

  @ApiPropertyOptional({ description: 'Of an input: the value.' })
  payload?: unknown;
}

/** An approval that a tool call needs. */
export class ApprovalDto {
  @ApiProperty({ example: 'apr_7f9d2c1e-5b1f-4a55-9d3a-0f6f3c0d8a11' })
  id!: string;

  @ApiProperty({ enum: INTERRUPT_STATUSES, example: 'pending' })
  status!: InterruptStatus;

  @ApiProperty({ description: 'The run that was interrupted.', example: 'response_1' })
  runId!: string;

  @ApiProperty({ example: 'session-1' })
  sessionId!: string;

  @ApiProperty({ type: String, nullable: true, description: 'The call that needs the approval.', example: 'call_1' })
  callId!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'calendar_write' })
  toolName!: string | null;

  @ApiProperty({
    type: Object,
    nullable: true,
    description: 'The arguments as the model wrote them.',
    example: { title: 'Lunch' },
  })
  arguments!: object | null;

  @ApiProperty({ type: String, nullable: true, description: 'The MCP server; `local` for a tool of this server.' })
  serverLabel!: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'Why the policy requires an approval.' })
  reason!: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'The message for the person.' })
  message!: string | null;

  @ApiProperty({ description: 'Whether the arguments may be changed.' })
  mayEdit!: boolean;

  @ApiProperty({ format: 'date-time' })
  createdAt!: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  expiresAt!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  answeredAt!: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'The run that continues with the decision.' })
  resumedByRunId!: string | null;

  @ApiProperty({ type: InterruptDecisionDto, nullable: true, example: { approve: true, reason: 'fine' } })
  decision!: InterruptDecisionDto | null;

  @ApiPropertyOptional({ type: DecidedByDto, description: 'Who answered it. Absent without authentication.' })
  decidedBy?: DecidedByDto;
}

/** One page of approvals, newest first. */
export class ApprovalListDto {
  @ApiProperty({ type: [ApprovalDto] })
  data!: readonly ApprovalDto[];

  @ApiProperty({ type: String, nullable: true, description: 'The `cursor` of the next page; null on the last page.' })
  nextCursor!: string | null;
}

/** The body of `POST /approvals/{id}`. */
export class ApprovalDecisionDto {
  @ApiProperty({ description: 'true: the call is made. false: the model is told that the call was denied.' })
  @IsBoolean({ message: 'approve must be true or false' })
  approve!: boolean;

  @ApiPropertyOptional({ maxLength: 2000, description: 'The model is told the reason for a denial.' })
  @IsOptional()
  @IsString({ message: 'reason must be a string' })
  @Length(0, 2000, { message: 'reason must have at most 2000 characters' })
  reason?: string;

  @ApiPropertyOptional({
    type: Object,
    description: 'Replaces all arguments of the call. Only if `mayEdit` is true.',
  })
  @IsOptional()
  @IsObject({ message: 'arguments must be an object' })
  arguments?: object;
}
