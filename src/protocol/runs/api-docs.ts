import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiResponse } from '@nestjs/swagger';
import { apiRoute, type DocumentedErrors } from '../wire/api-route.js';
import { RunsErrorDto } from './dto/runs.dto.js';

const ERRORS: DocumentedErrors = {
  model: RunsErrorDto,
  text: {
    400: 'The body is not a JSON object, or the event id is malformed or of another run.',
    404: 'Unknown thread or run.',
    409: 'The thread is busy, the run id was used with another payload, or the event id is ahead of the run.',
    410: 'The events were removed. `snapshotUrl` returns what is kept.',
    413: 'The body is longer than 262,144 bytes.',
    415: 'The body is not JSON in UTF-8.',
    422: 'The request violates a rule. `message` names the first violation.',
    429: 'Too many runs are waiting.',
    503: 'The server is shutting down, or the database is unavailable.',
  },
};

/** Documents what a route does and the errors it may answer with. */
export function ApiRunsRoute(summary: string, description: string, errors: readonly number[]): MethodDecorator {
  return apiRoute(ERRORS, summary, description, errors);
}

/** Documents an answer that is a stream of AG-UI events. */
export function ApiRunsStream(): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(RunsErrorDto),
    ApiResponse({
      status: 200,
      description:
        'AG-UI events as server-sent events: `id: <ordinal>-<seq>`, one line `data: <JSON>` each, no event names. The terminal event is RUN_FINISHED or RUN_ERROR. Comments keep the connection alive.',
      headers: { 'Content-Location': { description: 'The run.', schema: { type: 'string' } } },
      content: {
        'text/event-stream': {
          schema: {
            type: 'object',
            description: 'An AG-UI event.',
            properties: { type: { type: 'string' }, timestamp: { type: 'integer' } },
            required: ['type', 'timestamp'],
          },
        },
      },
    }),
  );
}
