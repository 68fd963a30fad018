import { applyDecorators } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiResponse } from '@nestjs/swagger';
import { ERROR_CATALOGUE } from '../../common/index.js';

const ERROR_TEXT: Readonly<Record<number, string>> = {
  400: 'The request is not valid, or the answer does not fit the interrupt.',
  404: 'Unknown interrupt, or one of another user.',
  409: 'The interrupt was already answered.',
  410: 'The interrupt has expired.',
  503: 'The server is shutting down or its database is unavailable.',
};

/** The body of an error. */
export class AnswerErrorDto {
  @ApiProperty({ enum: Object.keys(ERROR_CATALOGUE), example: 'INTERRUPT_ALREADY_ANSWERED' })
  code!: string;

  @ApiProperty({ example: 'This interrupt was already answered' })
  message!: string;
}

/** Documents what a route does and the errors it answers with. */
export function ApiInterruptRoute(summary: string, description: string, errors: readonly number[]): MethodDecorator {
  const responses = errors.map((status) =>
    ApiResponse({ status, description: ERROR_TEXT[status] ?? 'Error', type: AnswerErrorDto }),
  );
  return applyDecorators(ApiOperation({ summary, description }), ...responses);
}
