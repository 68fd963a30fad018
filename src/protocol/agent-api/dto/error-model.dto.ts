import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ERROR_CATALOGUE } from '../../../common/index.js';

/** What is wrong with one field. */
export class ErrorDetailDto {
  @ApiProperty({ example: 'input[0].content' })
  path!: string;

  @ApiProperty({ example: 'input[0].content must be a list, not a string' })
  message!: string;
}

/** The body of every error before a stream. */
export class ErrorBodyDto {
  @ApiProperty({ enum: Object.keys(ERROR_CATALOGUE), example: 'PARAMETER_VALIDATION' })
  code!: string;

  @ApiProperty({ example: 'input[0].content must be a list, not a string' })
  message!: string;

  @ApiPropertyOptional({ type: [ErrorDetailDto] })
  details?: readonly ErrorDetailDto[];

  @ApiPropertyOptional({ description: "The id of the request in the server's log; with 5xx only." })
  requestId?: string;
}

/** The error of a response, a message or a content inside a stream. */
export class ErrorModelDto {
  @ApiProperty({ example: 'MODEL_TIMEOUT' })
  code!: string;

  @ApiProperty({ example: 'The model did not answer in time' })
  message!: string;
}
