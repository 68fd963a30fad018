import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { USAGE_GROUPS } from '../../../usage/index.js';

/** The query of `GET /usage`. */
export class UsageQueryDto {
  @ApiPropertyOptional({ example: '2026-11-01', description: 'The first day. Default: 29 days before the last one.' })
  @IsOptional()
  @IsString({ message: 'from must be a day such as 2026-11-26' })
  from?: string;

  @ApiPropertyOptional({ example: '2026-11-30', description: 'The last day, which is included. Default: today.' })
  @IsOptional()
  @IsString({ message: 'to must be a day such as 2026-11-26' })
  to?: string;

  @ApiPropertyOptional({
    example: 'day,agent',
    description: `What to group by: a comma-separated list of ${USAGE_GROUPS.join(', ')}. Default: day.`,
  })
  @IsOptional()
  @IsString({ message: 'group_by must be a text' })
  group_by?: string;

  @ApiPropertyOptional({ example: 'Europe/Berlin', description: 'Where days begin. Default: that of the tenant.' })
  @IsOptional()
  @IsString({ message: 'tz must be the name of an IANA time zone' })
  tz?: string;

  @ApiPropertyOptional({ example: '100', description: 'From 1 to 1000. Default: 100.' })
  @IsOptional()
  @IsString({ message: 'limit must be a whole number from 1 to 1000' })
  limit?: string;

  @ApiPropertyOptional({ description: 'The `nextCursor` of the page before.' })
  @IsOptional()
  @IsString({ message: 'cursor must be the nextCursor of a page' })
  cursor?: string;
}

/** The sums of one group. */
export class UsageSumsDto {
  @ApiPropertyOptional({ example: '2026-11-26' })
  day?: string;

  @ApiPropertyOptional({ example: 'alice' })
  user?: string;

  @ApiPropertyOptional({ example: 'worker' })
  agent?: string;

  @ApiPropertyOptional({ example: 'my-model' })
  model?: string;

  @ApiPropertyOptional({ example: 'ci', description: 'Of the API key that started the runs; empty without one.' })
  account?: string;

  @ApiProperty({ example: 12 })
  runs!: number;

  @ApiProperty({ example: 31, description: 'Model calls.' })
  calls!: number;

  @ApiProperty({ example: 52_000 })
  inputTokens!: number;

  @ApiProperty({ example: 17_000, description: 'Part of `inputTokens`.' })
  cachedInputTokens!: number;

  @ApiProperty({ example: 9000 })
  outputTokens!: number;

  @ApiProperty({ example: 0, description: 'Part of `outputTokens`.' })
  reasoningTokens!: number;

  @ApiProperty({ example: 245_100_000, description: 'In billionths of the unit of the currency.' })
  cost!: number;

  @ApiProperty({ example: 'USD' })
  currency!: string;

  @ApiProperty({ example: 0.02, description: 'The part of the tokens that was estimated, from 0 to 1.' })
  estimatedShare!: number;
}

/** A page of a report. */
export class UsagePageDto {
  @ApiProperty({ type: [UsageSumsDto] })
  data!: readonly UsageSumsDto[];

  @ApiProperty({ type: String, nullable: true })
  nextCursor!: string | null;
}

/** One model call. */
export class UsageEntryDto {
  @ApiProperty({ example: 'model:0', description: 'The step of the journal.' })
  step!: string;

  @ApiProperty({ enum: ['reserved', 'settled', 'estimated', 'released'] })
  state!: string;

  @ApiProperty({ example: 'worker' })
  agent!: string;

  @ApiProperty({ example: 'my-model' })
  model!: string;

  @ApiProperty({ example: 'openai-compatible' })
  provider!: string;

  @ApiProperty({ example: 1200, description: 'Estimated while the call is reserved.' })
  inputTokens!: number;

  @ApiProperty({ example: 0 })
  cachedInputTokens!: number;

  @ApiProperty({ example: 300, description: 'The most that it may have while the call is reserved.' })
  outputTokens!: number;

  @ApiProperty({ example: 0 })
  reasoningTokens!: number;

  @ApiProperty({ example: 8_100_000, description: 'In billionths of the unit of the currency.' })
  cost!: number;

  @ApiProperty({ type: Number, nullable: true, description: 'The version of the price; null without one.' })
  priceVersion!: number | null;

  @ApiProperty({ format: 'date-time' })
  at!: string;
}

/** The model calls of a run. */
export class RunUsageDto {
  @ApiProperty({ type: [UsageEntryDto] })
  data!: readonly UsageEntryDto[];

  @ApiProperty({ example: 'USD' })
  currency!: string;
}

/** A number of tokens and a cost. */
export class AmountDto {
  @ApiProperty({ example: 61_000 })
  tokens!: number;

  @ApiProperty({ example: 245_100_000, description: 'In billionths of the unit of the currency.' })
  cost!: number;
}

/** What is left of the limits that a budget has. */
export class LimitDto {
  @ApiProperty({ type: Number, nullable: true, example: 1_000_000 })
  tokens!: number | null;

  @ApiProperty({ type: Number, nullable: true, example: null })
  cost!: number | null;
}

/** What is used of a budget in its present period. */
export class BudgetStateDto {
  @ApiProperty({ example: 'budget_0199…' })
  id!: string;

  @ApiProperty({ enum: ['tenant', 'user', 'agent', 'account'] })
  subject!: string;

  @ApiProperty({
    example: 'alice',
    description: 'The user, agent or account; `*` for the tenant, and for each that has used nothing yet.',
  })
  name!: string;

  @ApiProperty({ enum: ['day', 'month', 'total'] })
  window!: string;

  @ApiProperty({ enum: ['block', 'warn'] })
  action!: string;

  @ApiProperty({ type: LimitDto })
  limit!: LimitDto;

  @ApiProperty({ type: AmountDto })
  used!: AmountDto;

  @ApiProperty({ type: AmountDto, description: 'For model calls that are being made.' })
  reserved!: AmountDto;

  @ApiProperty({ type: LimitDto })
  left!: LimitDto;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'When the period ends.' })
  resetsAt!: string | null;
}

/** The budgets that a caller sees. */
export class BudgetStateListDto {
  @ApiProperty({ type: [BudgetStateDto] })
  data!: readonly BudgetStateDto[];

  @ApiProperty({ example: 'USD' })
  currency!: string;
}
