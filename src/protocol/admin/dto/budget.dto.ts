import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** A budget. */
export class BudgetDto {
  @ApiProperty({ example: 'budget_0199…' })
  id!: string;

  @ApiProperty({ enum: ['tenant', 'user', 'agent', 'account'] })
  subject!: string;

  @ApiProperty({ example: '*', description: 'The user, agent or account; `*` for each without a budget of its own.' })
  name!: string;

  @ApiProperty({ enum: ['run', 'day', 'month', 'total'] })
  window!: string;

  @ApiProperty({ type: Number, nullable: true, example: 1_000_000, description: 'Tokens of input and output.' })
  tokens!: number | null;

  @ApiProperty({ type: Number, nullable: true, example: 5_000_000_000, description: 'In billionths of the unit.' })
  cost!: number | null;

  @ApiProperty({ enum: ['block', 'warn'] })
  action!: string;

  @ApiProperty({ type: [Number], example: [80], description: 'Percentages at which people are told.' })
  warnAt!: readonly number[];

  @ApiProperty({ format: 'date-time' })
  createdAt!: string;

  @ApiProperty({ format: 'date-time' })
  updatedAt!: string;
}

/** The body of `PUT /admin/budgets`. */
export class PutBudgetDto {
  @ApiProperty({ enum: ['tenant', 'user', 'agent', 'account'] })
  subject!: string;

  @ApiPropertyOptional({ example: '*', description: 'Default: `*`, each that has no budget of its own.' })
  name?: string;

  @ApiProperty({ enum: ['run', 'day', 'month', 'total'], example: 'month' })
  window!: string;

  @ApiPropertyOptional({ type: Number, nullable: true, example: 1_000_000 })
  tokens?: number | null;

  @ApiPropertyOptional({ type: Number, nullable: true, example: 5_000_000_000 })
  cost?: number | null;

  @ApiPropertyOptional({ enum: ['block', 'warn'], default: 'block' })
  action?: string;

  @ApiPropertyOptional({ type: [Number], default: [80] })
  warnAt?: readonly number[];
}

/** The budgets of a tenant. */
export class BudgetListDto {
  @ApiProperty({ type: [BudgetDto] })
  data!: readonly BudgetDto[];

  @ApiProperty({ example: 'USD' })
  currency!: string;

  @ApiProperty({ example: 'Europe/Berlin', description: 'Where days and months begin.' })
  timeZone!: string;
}

/** The time zone of a tenant. */
export class TimeZoneDto {
  @ApiProperty({ example: 'Europe/Berlin' })
  timeZone!: string;
}

/** A version of a price. */
export class PriceDto {
  @ApiProperty({ example: 17 })
  version!: number;

  @ApiProperty({ example: 'my-model*' })
  model!: string;

  @ApiProperty({ type: String, nullable: true, description: 'Null: of any provider.' })
  provider!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Null: from the beginning.' })
  validFrom!: string | null;

  @ApiProperty({ example: 3000, description: 'Of one token, in billionths of the unit.' })
  input!: number;

  @ApiProperty({ example: 300 })
  cachedInput!: number;

  @ApiProperty({ example: 15_000 })
  output!: number;

  @ApiProperty({ example: 15_000 })
  reasoning!: number;

  @ApiProperty({ example: 0 })
  perCall!: number;

  @ApiProperty({ type: Number, nullable: true, example: 8192, description: 'The most tokens of an answer.' })
  maxOutput!: number | null;

  @ApiProperty({ description: 'Whether it is of the tenant. Others are of the installation.' })
  isOwn!: boolean;
}

/** The body of `POST /admin/prices`. */
export class AddPriceDto {
  @ApiProperty({ example: 'my-model*', description: '`*` stands for any characters.' })
  model!: string;

  @ApiPropertyOptional({ type: String, nullable: true })
  provider?: string | null;

  @ApiPropertyOptional({ example: '2026-12-01', description: 'A day (UTC) or a time. Default: now.' })
  validFrom?: string;

  @ApiProperty({ example: 3000, description: 'Of one token, in billionths of the unit of the currency.' })
  input!: number;

  @ApiPropertyOptional({ example: 300, description: 'Default: `input`.' })
  cachedInput?: number;

  @ApiProperty({ example: 15_000 })
  output!: number;

  @ApiPropertyOptional({ example: 15_000, description: 'Default: `output`.' })
  reasoning?: number;

  @ApiPropertyOptional({ example: 0, default: 0 })
  perCall?: number;

  @ApiPropertyOptional({ type: Number, nullable: true, example: 8192 })
  maxOutput?: number | null;
}

/** The prices that hold for a tenant. */
export class PriceListDto {
  @ApiProperty({ type: [PriceDto] })
  data!: readonly PriceDto[];

  @ApiProperty({ example: 'USD' })
  currency!: string;
}
