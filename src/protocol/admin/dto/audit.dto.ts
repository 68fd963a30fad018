import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsISO8601, IsOptional, IsString, Length, Matches } from 'class-validator';
import { AUDIT_ACTIONS, type AuditAction, type ChainBreak } from '../../../audit/index.js';

const LIMIT = /^([1-9]\d?|1\d\d|200)$/;
const BREAKS: readonly ChainBreak['kind'][] = ['changed', 'missing', 'reordered', 'cut', 'unknown_key'];
const TEXT = { type: String, nullable: true } as const;

/** The query of `GET /audit`. */
export class AuditQueryDto {
  @ApiPropertyOptional({ enum: AUDIT_ACTIONS })
  @IsOptional()
  @IsIn(AUDIT_ACTIONS, { message: 'action must be an action of the audit trail, such as key.created' })
  action?: AuditAction;

  @ApiPropertyOptional({ description: 'The id of a key, an account, a user or a pseudonym: who acted, or for whom.' })
  @IsOptional()
  @IsString({ message: 'actor must be a text' })
  @Length(1, 256, { message: 'actor must have 1 to 256 characters' })
  actor?: string;

  @ApiPropertyOptional({ description: 'The id of what the act is about.' })
  @IsOptional()
  @IsString({ message: 'subject must be a text' })
  @Length(1, 512, { message: 'subject must have 1 to 512 characters' })
  subject?: string;

  @ApiPropertyOptional({ description: 'Only acts about this run.' })
  @IsOptional()
  @IsString({ message: 'run must be a text' })
  @Length(1, 128, { message: 'run must have 1 to 128 characters' })
  run?: string;

  @ApiPropertyOptional({ example: '2026-11-01T00:00:00Z', description: 'Inclusive.' })
  @IsOptional()
  @IsISO8601({ strict: true }, { message: 'from must be a time of ISO 8601' })
  from?: string;

  @ApiPropertyOptional({ example: '2026-12-01T00:00:00Z', description: 'Exclusive.' })
  @IsOptional()
  @IsISO8601({ strict: true }, { message: 'to must be a time of ISO 8601' })
  to?: string;

  @ApiPropertyOptional({ example: '50', description: 'From 1 to 200. Default: 50.' })
  @IsOptional()
  @Matches(LIMIT, { message: 'limit must be a whole number from 1 to 200' })
  limit?: string;

  @ApiPropertyOptional({ description: 'The `nextCursor` of the page before.' })
  @IsOptional()
  @IsString({ message: 'cursor must be the nextCursor of a page' })
  cursor?: string;
}

/** Who acted. */
export class AuditActorDto {
  @ApiProperty({ enum: ['key', 'user', 'proxy', 'cli', 'none', 'server'] })
  kind!: string;

  @ApiProperty({ description: 'The id of a key, the pseudonym of a user, or a name.' })
  id!: string;

  @ApiPropertyOptional({ example: 'ci' })
  account?: string;

  @ApiPropertyOptional({ description: 'The id of the key.' })
  keyId?: string;
}

/** What an act is about. */
export class AuditSubjectDto {
  @ApiProperty({ example: 'key' })
  kind!: string;

  @ApiProperty({ example: 's1WDTnnBttOI' })
  id!: string;
}

/** A line, as it is sealed. */
export class AuditLineDto {
  @ApiProperty({ type: Number, nullable: true, description: 'Its number in its chain; null until it is sealed.' })
  seq!: number | null;

  @ApiProperty({ format: 'date-time' })
  at!: string;

  @ApiProperty({ ...TEXT, description: 'As the tenant was called then; null for a line of the operator.' })
  tenant!: string | null;

  @ApiProperty({ example: 'key.created' })
  action!: string;

  @ApiProperty({ enum: ['done', 'refused'] })
  outcome!: string;

  @ApiProperty({ type: AuditActorDto })
  actor!: AuditActorDto;

  @ApiPropertyOptional({ description: 'The pseudonym of the user that it was done for.' })
  onBehalfOf?: string;

  @ApiPropertyOptional({ type: AuditSubjectDto })
  subject?: AuditSubjectDto;

  @ApiPropertyOptional()
  runId?: string;

  @ApiPropertyOptional()
  interruptId?: string;

  @ApiPropertyOptional()
  callId?: string;

  @ApiPropertyOptional()
  toolName?: string;

  @ApiPropertyOptional({ description: 'The id of the request in the log of the server.' })
  requestId?: string;

  @ApiPropertyOptional({ example: '192.0.2.0/24' })
  network?: string;

  @ApiPropertyOptional({ description: 'HMAC of the content under a random key that is kept with it.' })
  payloadHash?: string;

  @ApiProperty({ type: 'object', additionalProperties: true })
  details!: Record<string, unknown>;
}

/** A line in a list. */
export class AuditItemDto {
  @ApiProperty({ type: AuditLineDto })
  line!: AuditLineDto;

  @ApiProperty({ ...TEXT, description: 'The seal; null until it is sealed.' })
  hash!: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'The users that the pseudonyms of the line stand for; without those that were erased.',
  })
  users!: Record<string, string>;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description:
      'What people and models wrote, such as arguments and reasons; null without it, once it is erased, and with a `contentBreak`.',
  })
  content!: Record<string, unknown> | null;

  @ApiProperty({
    ...TEXT,
    example: null,
    description: 'A sentence if the content is not what was written with the line, as `GET /audit/verify` finds it.',
  })
  contentBreak!: string | null;
}

/** A page of lines, newest first. */
export class AuditPageDto {
  @ApiProperty({ type: [AuditItemDto] })
  data!: AuditItemDto[];

  @ApiProperty(TEXT)
  nextCursor!: string | null;
}

/** The end of a chain. */
export class CheckpointDto {
  @ApiProperty({ format: 'uuid' })
  chain!: string;

  @ApiProperty({ example: 4711 })
  seq!: number;

  @ApiProperty()
  hash!: string;

  @ApiProperty({ format: 'date-time' })
  at!: string;
}

/** Where a chain is broken. */
export class ChainBreakDto implements ChainBreak {
  @ApiProperty({ description: 'Of the first line that is concerned.' })
  seq!: number;

  @ApiProperty({ enum: BREAKS })
  kind!: ChainBreak['kind'];

  @ApiProperty()
  message!: string;
}

/** What a check of the chain has found. */
export class AuditVerificationDto {
  @ApiProperty()
  whole!: boolean;

  @ApiProperty({ description: 'Sealed lines that were checked.' })
  lines!: number;

  @ApiProperty({ description: 'Lines that are not sealed yet.' })
  unsealed!: number;

  @ApiProperty({ description: 'Lines whose content was erased.' })
  erased!: number;

  @ApiProperty({ type: CheckpointDto, nullable: true, description: 'The last line that was checked: a checkpoint.' })
  head!: CheckpointDto | null;

  @ApiProperty({ type: ChainBreakDto, nullable: true })
  firstBreak!: ChainBreakDto | null;
}

/** The query of `GET /audit/verify`: a checkpoint that was noted before. */
export class CheckpointQueryDto {
  @ApiPropertyOptional({ format: 'uuid' })
  @IsOptional()
  @Matches(/^[0-9a-f-]{36}$/, { message: 'chain must be the id of a chain' })
  chain?: string;

  @ApiPropertyOptional({ example: '4711' })
  @IsOptional()
  @Matches(/^[1-9]\d{0,9}$/, { message: 'seq must be a whole number from 1' })
  seq?: string;

  @ApiPropertyOptional()
  @IsOptional()
  @Matches(/^[0-9a-f]{64}$/, { message: 'hash must have 64 hexadecimal digits' })
  hash?: string;
}
