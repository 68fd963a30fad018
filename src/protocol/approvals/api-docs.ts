import { apiRoute, type DocumentedErrors, ErrorBodyDto } from '../wire/api-route.js';

const ERRORS: DocumentedErrors = {
  model: ErrorBodyDto,
  text: {
    400: 'The request is not valid, or the answer does not fit the interrupt.',
    404: 'Unknown interrupt, or one of another user.',
    409: 'The interrupt was already answered.',
    410: 'The interrupt has expired.',
    503: 'The server is shutting down or its database is unavailable.',
  },
};

/** Documents what a route does and the errors it answers with. */
export function ApiInterruptRoute(summary: string, description: string, errors: readonly number[]): MethodDecorator {
  return apiRoute(ERRORS, summary, description, errors);
}
