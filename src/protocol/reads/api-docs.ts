import { applyDecorators, Header } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse } from '@nestjs/swagger';
import { apiErrors, apiRoute, type DocumentedErrors, ErrorBodyDto } from '../wire/api-route.js';

const ERRORS: DocumentedErrors = {
  model: ErrorBodyDto,
  text: {
    400: 'A parameter is not valid.',
    403: 'The caller lacks the scope, or may not act for the user that the request names.',
    404: 'Unknown, or outside the reach of the caller.',
    409: 'Several users have this id (name one), or the cursor is beyond the end.',
    410: 'The events of this run were removed.',
    503: 'The server is shutting down, or its database is unavailable.',
  },
};

/** Documents a route that reads and the errors it answers with. What it answers is never cached. */
export function ReadRoute(summary: string, description: string, errors: readonly number[]): MethodDecorator {
  return applyDecorators(Header('cache-control', 'no-store'), apiRoute(ERRORS, summary, description, [...errors, 503]));
}

/** Documents a route that answers with an event stream of JSON objects. */
export function StreamRoute(
  summary: string,
  description: string,
  errors: readonly number[],
  example: string,
): MethodDecorator {
  return applyDecorators(
    ApiOperation({ summary, description }),
    ApiResponse({
      status: 200,
      description: 'Server-sent events; each has one line `data: <JSON>`. Comments keep the connection alive.',
      content: { 'text/event-stream': { schema: { type: 'string' }, example } },
    }),
    ...apiErrors(ERRORS, [...errors, 503]),
  );
}

/** Documents the header with which a browser's EventSource reconnects. */
export function ReconnectHeader(): MethodDecorator {
  return applyDecorators(
    ApiHeader({
      name: 'Last-Event-ID',
      required: false,
      description: 'The id of the last frame that the reader has. Counts before `after`.',
    }),
    ApiResponse({
      status: 204,
      description: 'The reader has everything up to its `Last-Event-ID`, and nothing follows.',
    }),
  );
}
