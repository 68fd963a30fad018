import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Length } from 'class-validator';
import { ModelRepairDto } from '../../../health/index.js';

/** How requests to a model server are written. */
export class ModelWritingDto {
  @ApiProperty({ example: 'openai+gpt-5' })
  name!: string;

  @ApiProperty({ example: 'the host api.openai.com', description: 'What the profile was chosen by.' })
  reason!: string;

  @ApiProperty({ type: [ModelRepairDto], description: 'Repairs in force since the process started.' })
  repairs!: readonly ModelRepairDto[];

  @ApiProperty({
    type: Object,
    example: { limit: 'max_completion_tokens' },
    description: 'The value of LLM_COMPAT that makes the repairs unnecessary; empty without any.',
  })
  overrides!: object;
}

/** A failure of model calls. */
export class ModelFailureDto {
  @ApiProperty({ format: 'date-time', description: 'The last time that it occurred.' })
  at!: string;

  @ApiProperty({ example: 1 })
  count!: number;

  @ApiProperty({ example: 'MODEL_NOT_FOUND' })
  code!: string;

  @ApiProperty({ example: 'The model was not found', description: 'What clients were told.' })
  message!: string;

  @ApiProperty({ type: Number, nullable: true, example: 404 })
  status!: number | null;

  @ApiProperty({ example: 'gpt-5.4-mini' })
  model!: string;

  @ApiProperty({ type: String, nullable: true, example: 'https://models.example.com/v1/chat/completions' })
  address!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'What the server said, without anything of a conversation.',
  })
  says!: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'The likely cause, and the setting to look at.' })
  cause!: string | null;
}

/** A configured model server, as this process sees it. */
export class ModelServerDto {
  @ApiProperty({
    example: 'fast',
    description: 'Its name in `LLM_MODELS` or in code, by which agents and requests choose it; `model` if it has none.',
  })
  name!: string;

  @ApiProperty({ example: 'gpt-5.4-mini', description: 'The model that its server is asked for.' })
  model!: string;

  @ApiProperty({ description: 'Whether it answers agents and requests that name none.' })
  isDefault!: boolean;

  @ApiProperty({
    type: [String],
    nullable: true,
    example: ['support-*'],
    description: 'Globs of the agent types that may use it; null: all.',
  })
  agents!: readonly string[] | null;

  @ApiProperty({ example: 'openai-compatible', description: 'How it is called.' })
  kind!: string;

  @ApiProperty({ type: String, nullable: true, example: 'https://models.example.com/v1' })
  address!: string | null;

  @ApiProperty({ example: 'LLM_BASE_URL', description: 'What the model was chosen by.' })
  reason!: string;

  @ApiProperty({ type: ModelWritingDto, nullable: true, description: 'Null for models without a profile.' })
  profile!: ModelWritingDto | null;

  @ApiProperty({
    type: [ModelFailureDto],
    description: 'The last failures since the process started, the newest first.',
  })
  failures!: readonly ModelFailureDto[];
}

/** All configured model servers. */
export class ModelServerListDto {
  @ApiProperty({ type: [ModelServerDto] })
  data!: readonly ModelServerDto[];

  @ApiProperty({ type: String, nullable: true, description: 'Always null: all models are on one page.' })
  nextCursor!: string | null;
}

/** Which model is tried. */
export class ModelTrialDto {
  @ApiPropertyOptional({
    minLength: 1,
    maxLength: 64,
    example: 'fast',
    description: 'Its `name`. Default: the default model.',
  })
  @IsOptional()
  @IsString({ message: 'name must be a string' })
  @Length(1, 64, { message: 'name must have 1 to 64 characters' })
  name?: string;
}

/** One thing that was tried with a model. */
export class ModelCheckDto {
  @ApiProperty({ enum: ['text', 'tool', 'tool result', 'JSON', 'limit', 'image'] })
  name!: string;

  @ApiProperty({ enum: ['works', 'failed', 'unsupported', 'skipped'] })
  outcome!: string;

  @ApiProperty({ type: String, nullable: true, description: 'Why it does not work, in one sentence.' })
  note!: string | null;
}

/** What came of trying a model. */
export class ModelReportDto {
  @ApiProperty({ type: [ModelCheckDto] })
  checks!: readonly ModelCheckDto[];

  @ApiProperty({ description: 'Requests that were made, at most eight.', example: 6 })
  requests!: number;

  @ApiProperty({ description: 'Tokens of the questions, as far as the server tells them.', example: 512 })
  inputTokens!: number;

  @ApiProperty({ description: 'Tokens of the answers, as far as the server tells them.', example: 128 })
  outputTokens!: number;
}
