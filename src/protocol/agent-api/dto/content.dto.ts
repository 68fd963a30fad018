import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { RUN_STATUSES, type RunStatus } from '../../../events/index.js';
import { ErrorModelDto } from './error-model.dto.js';

/** What the seven kinds of content have in common. */
export class ContentDto {
  @ApiPropertyOptional({ enum: ['content'] })
  object?: 'content';

  @ApiPropertyOptional({ enum: RUN_STATUSES, nullable: true })
  status?: RunStatus | null;

  @ApiPropertyOptional({ type: ErrorModelDto, nullable: true })
  error?: ErrorModelDto | null;

  @ApiPropertyOptional({ type: 'integer', nullable: true, description: 'The position in the message, from 0.' })
  index?: number | null;

  @ApiPropertyOptional({
    type: Boolean,
    nullable: true,
    description: 'true: a piece to append (text, refusal), or the value so far (other types). false: the whole value.',
  })
  delta?: boolean | null;

  @ApiPropertyOptional({ type: String, nullable: true, description: 'The message this content belongs to.' })
  msg_id?: string | null;
}

/** A text. */
export class TextContentDto extends ContentDto {
  @ApiProperty({ enum: ['text'] })
  type!: 'text';

  @ApiPropertyOptional({ type: String, nullable: true, example: 'What is the capital of France?' })
  text?: string | null;
}

/** An image. */
export class ImageContentDto extends ContentDto {
  @ApiProperty({ enum: ['image'] })
  type!: 'image';

  @ApiPropertyOptional({ type: String, nullable: true, description: 'An address or a data URL.' })
  image_url?: string | null;
}

/** Structured data: tool calls and their outputs, approvals. */
export class DataContentDto extends ContentDto {
  @ApiProperty({ enum: ['data'] })
  type!: 'data';

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    example: { call_id: 'call_1', name: 'get_weather', arguments: '{"city":"Hangzhou"}' },
  })
  data?: Record<string, unknown> | null;
}

/** A sound. */
export class AudioContentDto extends ContentDto {
  @ApiProperty({ enum: ['audio'] })
  type!: 'audio';

  @ApiPropertyOptional({ type: String, nullable: true, description: 'Base64 or a data URL.' })
  data?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true, example: 'wav' })
  format?: string | null;
}

/** A file. In requests `file_name` is an alias of `filename`. */
export class FileContentDto extends ContentDto {
  @ApiProperty({ enum: ['file'] })
  type!: 'file';

  @ApiPropertyOptional({ type: String, nullable: true })
  file_url?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true })
  file_id?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true })
  filename?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true })
  file_data?: string | null;
}

/** Words in which the model declines. */
export class RefusalContentDto extends ContentDto {
  @ApiProperty({ enum: ['refusal'] })
  type!: 'refusal';

  @ApiPropertyOptional({ type: String, nullable: true })
  refusal?: string | null;
}

/** A video. */
export class VideoContentDto extends ContentDto {
  @ApiProperty({ enum: ['video'] })
  type!: 'video';

  @ApiPropertyOptional({ type: String, nullable: true })
  video_url?: string | null;
}
