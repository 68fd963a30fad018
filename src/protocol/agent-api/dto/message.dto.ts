import { ApiExtraModels, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  MESSAGE_TYPES,
  type MessageType,
  type Role,
  ROLES,
  RUN_STATUSES,
  type RunStatus,
} from '../../../events/index.js';
import { CONTENT_DTOS, contentSchema } from './content-schema.js';
import { ErrorModelDto } from './error-model.dto.js';

/** A message, in requests and in responses. In requests only `content` matters; a message without a role is the user's. */
@ApiExtraModels(...Object.values(CONTENT_DTOS))
export class MessageDto {
  @ApiPropertyOptional({ enum: ['message'] })
  object?: 'message';

  @ApiPropertyOptional({ description: 'Made by the server when absent.' })
  id?: string;

  @ApiPropertyOptional({ enum: MESSAGE_TYPES, default: 'message' })
  type?: MessageType;

  @ApiPropertyOptional({ enum: RUN_STATUSES, default: 'created' })
  status?: RunStatus;

  @ApiPropertyOptional({ enum: ROLES, nullable: true })
  role?: Role | null;

  @ApiProperty({ type: 'array', nullable: true, items: contentSchema() })
  content!: unknown[] | null;

  @ApiPropertyOptional({ type: String, nullable: true })
  code?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true })
  message?: string | null;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    example: { input_tokens: 12, output_tokens: 34 },
  })
  usage?: Record<string, unknown> | null;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true, nullable: true })
  metadata?: Record<string, unknown> | null;

  @ApiPropertyOptional({ type: ErrorModelDto, nullable: true })
  error?: ErrorModelDto | null;
}
