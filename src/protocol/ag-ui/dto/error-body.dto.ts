import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** An error before the stream. */
export class AgUiErrorDto {
  @ApiProperty({ example: 'PARAMETER_VALIDATION' })
  code!: string;

  @ApiProperty({ example: 'messages[0].role is required' })
  message!: string;

  @ApiPropertyOptional({ type: 'array', items: { type: 'object', additionalProperties: true } })
  details?: readonly object[];
}
