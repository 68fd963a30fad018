import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiHeader, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { apiRoute, type DocumentedErrors } from '../wire/api-route.js';
import {
  COMPLETION_DTOS,
  CompletionChunkDto,
  CompletionDto,
  CompletionErrorDto,
  CompletionRequestDto,
} from './dto/completion.dto.js';
import { COMPLETION_EXAMPLES } from './dto/examples.js';

/** The tag of this wire in the API's description. */
export const TAG = 'OpenAI Chat Completions';

/** The descriptions of errors by status (contract chat-completions, section A7). */
const ERRORS: DocumentedErrors = {
  model: CompletionErrorDto,
  text: {
    400: 'The request is invalid, its session is busy, or its run has failed.',
    404: 'Unknown completion.',
    413: 'The body is too large.',
    415: 'The body is not JSON in UTF-8.',
    429: 'Too many requests.',
    503: 'The server is shutting down, or the database is unavailable.',
  },
};

/** Documents a route and its errors. @param errors their HTTP statuses */
export function ApiCompletionRoute(summary: string, description: string, errors: readonly number[]): MethodDecorator {
  return apiRoute(ERRORS, summary, description, errors);
}

/** Documents a request for a completion, and its answer as JSON or as a stream. */
export function ApiCompletion(): MethodDecorator {
  return applyDecorators(
    ApiBody({ type: CompletionRequestDto, examples: COMPLETION_EXAMPLES }),
    ApiHeader({
      name: 'X-Session-Id',
      required: false,
      description: 'A durable session. Without one the messages are the whole context.',
    }),
    ApiHeader({
      name: 'X-Tool-Trace',
      required: false,
      description: 'How the calls of the server’s tools are shown: `reasoning`, `status` or `off`.',
    }),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description: 'A repeated request with this key gets the same answer.',
    }),
    ApiExtraModels(...COMPLETION_DTOS),
    ApiResponse({
      status: 200,
      description: 'One completion, or its chunks as server-sent events, the last one `data: [DONE]`.',
      headers: { 'X-Run-Id': { description: 'The id of the completion.', schema: { type: 'string' } } },
      content: {
        'application/json': { schema: { $ref: getSchemaPath(CompletionDto) } },
        'text/event-stream': { schema: { $ref: getSchemaPath(CompletionChunkDto) } },
      },
    }),
  );
}
