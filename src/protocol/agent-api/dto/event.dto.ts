import { ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { RUN_STATUSES, type RunStatus } from '../../../events/index.js';
import { CONTENT_DTOS } from './content-schema.js';
import { ErrorModelDto } from './error-model.dto.js';
import { MessageDto } from './message.dto.js';

/** The response of a run: the JSON answer, and the event that opens and ends a stream. */
export class AgentResponseDto {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    description: 'In streams only: the number of the event in the stream, from 0.',
  })
  sequence_number?: number;

  @ApiProperty({ enum: ['response'] })
  object!: 'response';

  @ApiProperty({ enum: RUN_STATUSES })
  status!: RunStatus;

  @ApiProperty({ type: ErrorModelDto, nullable: true })
  error!: ErrorModelDto | null;

  @ApiProperty({ example: 'response_6c1f0c1e-5a3f-4f0e-9f66-0d5c0a3f5f11' })
  id!: string;

  @ApiProperty({ type: 'integer', description: 'Seconds since the epoch.' })
  created_at!: number;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Seconds since the epoch.' })
  completed_at!: number | null;

  @ApiProperty({
    type: [MessageDto],
    nullable: true,
    description: 'Complete in the last event of a stream, whatever its status.',
  })
  output!: readonly MessageDto[] | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    example: { input_tokens: 12, output_tokens: 34 },
  })
  usage!: Record<string, unknown> | null;

  @ApiProperty({ type: String, nullable: true })
  session_id!: string | null;
}

/** A message is announced, begins or ends. */
export class MessageEventDto extends MessageDto {
  @ApiProperty({ type: 'integer', minimum: 0 })
  sequence_number!: number;
}

/** Every shape of a `data:` line, discriminated by `object`, and contents by `type`. */
export function eventSchema() {
  const number = {
    type: 'object',
    required: ['sequence_number'],
    properties: { sequence_number: { type: 'integer', minimum: 0 } },
  };
  return {
    oneOf: [
      { $ref: getSchemaPath(AgentResponseDto) },
      { $ref: getSchemaPath(MessageEventDto) },
      ...Object.values(CONTENT_DTOS).map((dto) => ({ allOf: [{ $ref: getSchemaPath(dto) }, number] })),
    ],
  };
}
