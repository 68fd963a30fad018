import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { apiRoute, type DocumentedErrors, ErrorBodyDto } from '../wire/api-route.js';
import { AgentRequestDto } from './dto/agent-request.dto.js';
import { AgentResponseDto, eventSchema, MessageEventDto } from './dto/event.dto.js';
import { PROCESS_EXAMPLES } from './dto/examples.js';

const ERRORS: DocumentedErrors = {
  model: ErrorBodyDto,
  text: {
    400: 'The request is invalid.',
    404: 'Unknown run.',
    409: 'The session is busy, the id was used with another request, or the cursor is ahead of the run.',
    413: 'The body is too large.',
    415: 'The body is not JSON in UTF-8.',
    429: 'Too many runs are waiting.',
    503: 'The server is shutting down, or the database is unavailable.',
  },
};

/** Documents what a route does and the errors it may answer with before a stream. */
export function ApiRoute(summary: string, description: string, errors: readonly number[]): MethodDecorator {
  return apiRoute(ERRORS, summary, description, errors);
}

/** Documents a body of `POST /process`. */
export function ApiAgentRequest(): MethodDecorator {
  return ApiBody({ type: AgentRequestDto, examples: PROCESS_EXAMPLES });
}

/** Documents an answer that is an event stream or, on request, one JSON response. */
export function ApiAgentStream(): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(AgentResponseDto, MessageEventDto),
    ApiResponse({
      status: 200,
      description:
        'Server-sent events of one line `data: <JSON>`, the last one `data: [DONE]`; comments keep the connection alive. Or one JSON response.',
      headers: {
        'Content-Location': { description: 'Where the run can be read again.', schema: { type: 'string' } },
        'X-Run-Id': { description: 'The id of the response.', schema: { type: 'string' } },
      },
      content: {
        'text/event-stream': { schema: eventSchema() },
        'application/json': { schema: { $ref: getSchemaPath(AgentResponseDto) } },
      },
    }),
  );
}
