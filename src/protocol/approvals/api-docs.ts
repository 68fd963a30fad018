import { applyDecorators } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiResponse } from '@nestjs/swagger';
import { ERROR_CATALOGUE } from '../../common/index.js';

const ERROR_TEXT: Readonly<Record<number, string>> = {
  400: 'The request is not valid, or the answer is not what may be answered.',
  404: "There is no such question, or it is another user's.",
  409: 'It was already answered.',
  410: 'The time to answer is over.',
  503: 'The server is shutting down or its database is away.',
};

/** The body of an error. */
export class AnswerErrorDto {
  @ApiProperty({ enum: Object.keys(ERROR_CATALOGUE), example: 'INTERRUPT_ALREADY_ANSWERED' })
  code!: string;

  @ApiProperty({ example: 'This was already answered' })
  message!: string;
}

/** Documents what a route does and the errors it answers with. */
export function ApiQuestionRoute(summary: string, description: string, errors: readonly number[]): MethodDecorator {
  const responses = errors.map((status) =>
    ApiResponse({ status, description: ERROR_TEXT[status] ?? 'Error', type: AnswerErrorDto }),
  );
  return applyDecorators(ApiOperation({ summary, description }), ...responses);
}
