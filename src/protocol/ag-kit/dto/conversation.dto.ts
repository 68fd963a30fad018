import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Matches, MaxLength } from 'class-validator';

const NUMBER = /^\d{1,9}$/;

/** The body of `POST conversation` and `PATCH conversation/{conversationId}`. */
export class ConversationBodyDto {
  @ApiPropertyOptional({
    maxLength: 256,
    description: 'Of a new conversation; the server chooses one when it is absent.',
  })
  @IsOptional()
  @Matches(/^[\x21-\x7e]{1,256}$/, { message: 'conversationId must have 1 to 256 printable characters without spaces' })
  conversationId?: string;

  @ApiPropertyOptional({ maxLength: 1000 })
  @IsOptional()
  @IsString({ message: 'title must be a string' })
  @MaxLength(1000, { message: 'title must have at most 1000 characters' })
  title?: string;
}

/** The query of `GET conversation`. */
export class ConversationsQueryDto {
  @ApiPropertyOptional({ type: 'integer', minimum: 0, default: 0 })
  @IsOptional()
  @Matches(NUMBER, { message: 'offset must be a whole number from 0' })
  offset?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 100, default: 10 })
  @IsOptional()
  @Matches(/^([1-9]\d?|100)$/, { message: 'limit must be a whole number from 1 to 100' })
  limit?: string;
}

/** The query of `GET records`. */
export class RecordsQueryDto {
  @ApiPropertyOptional({ description: 'Absent: the conversation that changed last.' })
  @IsOptional()
  @IsString({ message: 'conversationId must be a string' })
  conversationId?: string;

  @ApiPropertyOptional({ enum: ['asc', 'desc'], default: 'desc' })
  @IsOptional()
  @IsIn(['asc', 'desc'], { message: 'sort must be asc or desc' })
  sort?: 'asc' | 'desc';

  @ApiPropertyOptional({ type: 'integer', minimum: 1, default: 1 })
  @IsOptional()
  @Matches(/^[1-9]\d{0,8}$/, { message: 'pageNumber must be a whole number from 1' })
  pageNumber?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 100, default: 10 })
  @IsOptional()
  @Matches(/^([1-9]\d?|100)$/, { message: 'pageSize must be a whole number from 1 to 100' })
  pageSize?: string;
}

/** A conversation in a list. */
export class ConversationDto {
  @ApiProperty()
  conversationId!: string;

  @ApiProperty()
  title!: string;

  @ApiProperty({ description: 'ISO 8601.' })
  createTime!: string;

  @ApiProperty({ description: 'ISO 8601.' })
  updateTime!: string;
}

/** The answer of `POST conversation`. */
export class ConversationCreatedDto {
  @ApiProperty()
  conversationId!: string;
}

/** The answer of `GET conversation`. */
export class ConversationListDto {
  @ApiProperty({ type: [ConversationDto] })
  conversationList!: readonly ConversationDto[];

  @ApiProperty({ type: 'integer' })
  total!: number;
}

/** The answer of `PATCH` and `DELETE conversation/{conversationId}`. */
export class SuccessDto {
  @ApiProperty({ enum: [true] })
  success!: true;
}

/** What a user or the agent said. */
export class RecordDto {
  @ApiProperty()
  recordId!: string;

  @ApiProperty()
  botId!: string;

  @ApiProperty()
  conversationId!: string;

  @ApiProperty({ enum: ['user', 'assistant'] })
  role!: 'user' | 'assistant';

  @ApiProperty()
  content!: string;

  @ApiProperty({ description: 'ISO 8601.' })
  createTime!: string;
}

/** The answer of `GET records`. */
export class RecordListDto {
  @ApiProperty({ type: [RecordDto] })
  recordList!: readonly RecordDto[];

  @ApiProperty({ type: 'integer' })
  total!: number;
}

/** What is known of an agent. */
export class BotInfoDto {
  @ApiProperty({ example: 'worker' })
  botId!: string;

  @ApiProperty({ example: 'worker' })
  name!: string;

  @ApiProperty()
  introduction!: string;

  @ApiProperty()
  welcomeMessage!: string;

  @ApiProperty({ type: [String] })
  initQuestions!: readonly string[];

  @ApiProperty({ enum: [true] })
  multiConversationEnable!: true;
}

/** The answer of `GET bots`. */
export class BotListDto {
  @ApiProperty({ type: [BotInfoDto] })
  botList!: readonly BotInfoDto[];

  @ApiProperty({ type: 'integer' })
  total!: number;
}
