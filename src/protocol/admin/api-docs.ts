import { applyDecorators, Header } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiResponse } from '@nestjs/swagger';
import { ERROR_CATALOGUE } from '../../common/index.js';

const ERROR_TEXT: Readonly<Record<number, string>> = {
  400: 'The request is not valid; nothing was changed.',
  401: 'No credential, or one that is not valid.',
  403: 'The caller lacks the scope, or would grant what it does not have.',
  404: 'Unknown, or of another tenant.',
  409: 'The current state does not allow it.',
  503: 'The database is unavailable.',
};

/** The body of an error. */
export class AdminErrorDto {
  @ApiProperty({ enum: Object.keys(ERROR_CATALOGUE), example: 'PERMISSION_DENIED' })
  code!: string;

  @ApiProperty({ example: 'The scope admin:keys is required' })
  message!: string;
}

/** Documents a route of administration and the errors it answers with. What it answers is never cached. */
export function AdminRoute(summary: string, description: string, errors: readonly number[]): MethodDecorator {
  const responses = [401, 403, 503, ...errors].map((status) =>
    ApiResponse({ status, description: ERROR_TEXT[status] ?? 'Error', type: AdminErrorDto }),
  );
  return applyDecorators(Header('cache-control', 'no-store'), ApiOperation({ summary, description }), ...responses);
}
