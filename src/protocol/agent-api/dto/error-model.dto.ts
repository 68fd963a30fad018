import { ApiProperty } from '@nestjs/swagger';

/** The error of a response, a message or a content inside a stream. */
export class ErrorModelDto {
  @ApiProperty({ example: 'MODEL_TIMEOUT' })
  code!: string;

  @ApiProperty({ example: 'The model did not answer in time' })
  message!: string;
}
