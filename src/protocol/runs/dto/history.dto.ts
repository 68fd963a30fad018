import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { IsOptional, IsString, Matches } from 'class-validator';

/** The query of `GET /history`. */
export class HistoryQueryDto {
  @ApiPropertyOptional({ format: 'uuid', description: 'Default: the thread with the newest activity.' })
  @IsOptional()
  @IsString({ message: 'threadId must be given once' })
  threadId?: string;

  @ApiPropertyOptional({ example: '2026-03-16', description: 'Returns the newest day before this date.' })
  @IsOptional()
  @IsString({ message: 'before must be given once' })
  before?: string;

  @ApiPropertyOptional({
    type: Number,
    description: 'Continues with the rest of the day `before`: only messages with a smaller seq.',
  })
  @IsOptional()
  @Matches(/^\d{1,9}$/, { message: 'beforeSeq must be an integer' })
  beforeSeq?: string;
}

/** An image of a user message. */
export class HistoryAttachmentDto {
  @ApiProperty({ example: 'image/png' })
  mimeType!: string;

  @ApiProperty({ description: 'A URL that is signed at the time of reading.' })
  url!: string;
}

/** A message of the user. */
export class HistoryUserMessageDto {
  @ApiProperty()
  id!: string;

  @ApiProperty({ description: 'Increases within the thread; there may be gaps.' })
  seq!: number;

  @ApiProperty({ enum: ['user'] })
  role!: 'user';

  @ApiProperty()
  content!: string;

  @ApiProperty({ type: [HistoryAttachmentDto] })
  attachments!: readonly HistoryAttachmentDto[];

  @ApiProperty({ format: 'date-time' })
  timestamp!: string;
}

/** A message of the assistant. */
export class HistoryAssistantMessageDto {
  @ApiProperty()
  id!: string;

  @ApiProperty()
  seq!: number;

  @ApiProperty({ enum: ['assistant'] })
  role!: 'assistant';

  @ApiProperty()
  content!: string;

  @ApiProperty({ type: Object, nullable: true, description: 'A UiSchemaRenderer, version 2.0.' })
  ui_schema!: object | null;

  @ApiProperty({ format: 'date-time' })
  timestamp!: string;
}

/** One day of a thread. */
@ApiExtraModels(HistoryUserMessageDto, HistoryAssistantMessageDto)
export class HistorySnapshotDto {
  @ApiProperty({ enum: ['history_day'] })
  scope!: 'history_day';

  @ApiProperty({ type: String, nullable: true })
  threadId!: string | null;

  @ApiProperty({ type: String, nullable: true, example: '2026-03-15' })
  day!: string | null;

  @ApiProperty({ description: 'Whether there are more messages on earlier days or on the rest of this day.' })
  hasMore!: boolean;

  @ApiProperty({
    type: 'array',
    items: {
      oneOf: [{ $ref: getSchemaPath(HistoryUserMessageDto) }, { $ref: getSchemaPath(HistoryAssistantMessageDto) }],
      discriminator: { propertyName: 'role' },
    },
  })
  messages!: readonly object[];
}
