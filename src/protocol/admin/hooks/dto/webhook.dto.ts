import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsBoolean, IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import {
  DELIVERY_STATUSES,
  type DeliveryStatus,
  WEBHOOK_EVENTS,
  WEBHOOK_FORMATS,
  WEBHOOK_INCLUDES,
  type WebhookFormat,
  type WebhookInclude,
} from '../../../../webhooks/index.js';
import { Closed, PageCursor, PageLimit } from '../../../http/index.js';

const TIME = { type: String, format: 'date-time', nullable: true } as const;
const EVENTS = `Names and globs of events: ${WEBHOOK_EVENTS.map((name) => `\`${name}\``).join(', ')}. \`run.started\` has to be named literally. Empty: only runs that name the endpoint.`;

/** An endpoint of webhooks. Its secret cannot be shown. */
export class WebhookDto {
  @ApiProperty({ example: 'wh_0b6f5d1c2a3e4f5061728394a5b6c7d8' })
  id!: string;

  @ApiProperty({ example: 'https://example.com/hooks/parley' })
  url!: string;

  @ApiProperty({ type: String, nullable: true, example: 'Nightly reports' })
  description!: string | null;

  @ApiProperty({ type: [String], example: ['run.*', 'interrupt.requested'], description: EVENTS })
  events!: readonly string[];

  @ApiProperty({ enum: WEBHOOK_FORMATS, description: '`openai`: the events of the webhooks of OpenAI, of runs alone.' })
  format!: WebhookFormat;

  @ApiProperty({ type: [String], nullable: true, example: ['support-*'], description: 'Globs; null: all agents.' })
  agents!: readonly string[] | null;

  @ApiProperty({
    enum: WEBHOOK_INCLUDES,
    isArray: true,
    description: 'Content that events have besides ids and states.',
  })
  include!: readonly WebhookInclude[];

  @ApiProperty()
  enabled!: boolean;

  @ApiProperty({ type: String, nullable: true, description: 'Why the server has disabled it; null if it has not.' })
  disabledReason!: string | null;

  @ApiProperty({ format: 'date-time' })
  createdAt!: string;

  @ApiProperty({ ...TIME, description: 'When the receiver last took an event, accurate to a minute.' })
  lastSuccessAt!: string | null;
}

/** An endpoint that was just created or rotated, with its secret. */
export class IssuedWebhookDto extends WebhookDto {
  @ApiProperty({ example: 'whsec_…', description: 'Signs the events. It is shown only this once.' })
  secret!: string;
}

/** All endpoints of a tenant, oldest first. */
export class WebhookListDto {
  @ApiProperty({ type: [WebhookDto] })
  data!: readonly WebhookDto[];

  @ApiProperty({ type: String, nullable: true, description: 'Always null: all endpoints are on one page.' })
  nextCursor!: null;
}

/** What may be chosen of an endpoint. */
class WebhookOptionsDto {
  @ApiPropertyOptional({ type: String, nullable: true, maxLength: 256, description: 'For people.' })
  @IsOptional()
  @IsString({ message: 'description must be a string' })
  description?: string | null;

  @ApiPropertyOptional({ enum: WEBHOOK_FORMATS, default: 'parley' })
  @IsOptional()
  @IsIn(WEBHOOK_FORMATS, { message: `format must be ${WEBHOOK_FORMATS.join(' or ')}` })
  format?: WebhookFormat;

  @ApiPropertyOptional({ type: [String], nullable: true, example: ['support-*'], description: 'null: all agents.' })
  @IsOptional()
  @IsArray({ message: 'agents must be a list' })
  @ArrayMaxSize(50, { message: 'agents must be at most 50' })
  @IsString({ each: true, message: 'agents must be strings' })
  agents?: readonly string[] | null;

  @ApiPropertyOptional({ enum: WEBHOOK_INCLUDES, isArray: true, default: [] })
  @IsOptional()
  @IsArray({ message: 'include must be a list' })
  @ArrayMaxSize(10, { message: 'include must be at most 10' })
  @IsIn(WEBHOOK_INCLUDES, { each: true, message: `include must be a list of ${WEBHOOK_INCLUDES.join(', ')}` })
  include?: readonly WebhookInclude[];

  @ApiPropertyOptional({ default: true, description: 'Enabling an endpoint that the server has disabled tries again.' })
  @IsOptional()
  @IsBoolean({ message: 'enabled must be true or false' })
  enabled?: boolean;
}

/** What can be changed of an endpoint. What is left out stays. */
@Closed()
export class UpdateWebhookDto extends WebhookOptionsDto {
  @ApiPropertyOptional({ maxLength: 2048, example: 'https://example.com/hooks/parley' })
  @IsOptional()
  @IsString({ message: 'url must be a string' })
  @MaxLength(2048, { message: 'url must have at most 2048 characters' })
  url?: string;

  @ApiPropertyOptional({ type: [String], example: ['run.*'], description: EVENTS })
  @IsOptional()
  @IsArray({ message: 'events must be a list' })
  @ArrayMaxSize(50, { message: 'events must be at most 50' })
  @IsString({ each: true, message: 'events must be strings' })
  events?: readonly string[];
}

/** The body of `POST /api/v1/webhooks`. */
@Closed()
export class CreateWebhookDto extends WebhookOptionsDto {
  @ApiProperty({ maxLength: 2048, example: 'https://example.com/hooks/parley' })
  @IsString({ message: 'url must be a string' })
  @MaxLength(2048, { message: 'url must have at most 2048 characters' })
  url!: string;

  @ApiProperty({ type: [String], example: ['run.*'], description: EVENTS })
  @IsArray({ message: 'events must be a list' })
  @ArrayMaxSize(50, { message: 'events must be at most 50' })
  @IsString({ each: true, message: 'events must be strings' })
  events!: readonly string[];
}

/** One attempt to deliver. */
export class DeliveryAttemptDto {
  @ApiProperty({ format: 'date-time' })
  at!: string;

  @ApiProperty({ type: Number, nullable: true, example: 200, description: 'Of the answer; null without one.' })
  status!: number | null;

  @ApiProperty({ example: 42 })
  durationMs!: number;

  @ApiProperty({ description: 'The first bytes of the answer, or what went wrong.' })
  text!: string;
}

/** An event that is announced to an endpoint. */
export class WebhookDeliveryDto {
  @ApiProperty({ example: 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W', description: 'The header `webhook-id`.' })
  id!: string;

  @ApiProperty({ example: 'run.completed', description: 'The name of the event.' })
  type!: string;

  @ApiProperty({ type: String, nullable: true, description: 'The run that it tells about.' })
  runId!: string | null;

  @ApiProperty({ enum: DELIVERY_STATUSES })
  status!: DeliveryStatus;

  @ApiProperty({ description: 'The body, as it is sent on every attempt.' })
  body!: string;

  @ApiProperty({ format: 'date-time' })
  createdAt!: string;

  @ApiProperty({ ...TIME, description: 'When it is tried next; null once it is over.' })
  nextAttemptAt!: string | null;

  @ApiProperty(TIME)
  endedAt!: string | null;

  @ApiProperty({ type: [DeliveryAttemptDto], description: 'The newest 20, oldest first.' })
  attempts!: readonly DeliveryAttemptDto[];
}

/** One page of deliveries, newest first. */
export class WebhookDeliveryListDto {
  @ApiProperty({ type: [WebhookDeliveryDto] })
  data!: readonly WebhookDeliveryDto[];

  @ApiProperty({ type: String, nullable: true, description: 'The `cursor` of the next page; null on the last page.' })
  nextCursor!: string | null;
}

/** Which deliveries a list shows. */
export class DeliveryQueryDto {
  @ApiPropertyOptional({ enum: DELIVERY_STATUSES })
  @IsOptional()
  @IsIn(DELIVERY_STATUSES, { message: `status must be one of ${DELIVERY_STATUSES.join(', ')}` })
  status?: DeliveryStatus;

  @PageLimit(100, 20)
  limit?: string;

  @PageCursor()
  cursor?: string;
}
