import { applyDecorators, Header } from '@nestjs/common';
import { apiRoute, type DocumentedErrors, ErrorBodyDto } from '../wire/api-route.js';

const ERRORS: DocumentedErrors = {
  model: ErrorBodyDto,
  text: {
    400: 'The request is not valid; nothing was changed.',
    401: 'No credential, or one that is not valid.',
    403: 'The caller lacks the scope, or would grant what it does not have.',
    404: 'Unknown, or of another tenant.',
    409: 'The current state does not allow it.',
    503: 'The database is unavailable.',
  },
};

/** Documents a route of administration and the errors it answers with. What it answers is never cached. */
export function AdminRoute(summary: string, description: string, errors: readonly number[]): MethodDecorator {
  return applyDecorators(
    Header('cache-control', 'no-store'),
    apiRoute(ERRORS, summary, description, [401, 403, 503, ...errors]),
  );
}
