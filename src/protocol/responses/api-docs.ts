import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { apiRoute, type DocumentedErrors } from '../wire/api-route.js';
import { CreateResponseDto } from './dto/create-response.dto.js';
import { EVENT_DTOS, eventSchema } from './dto/event.dto.js';
import { CONVERSATION_EXAMPLES, CREATE_EXAMPLES, ITEM_EXAMPLES } from './dto/examples.js';
import { ITEM_DTOS } from './dto/item.dto.js';
import { ResponseDto, ResponsesErrorDto } from './dto/response.dto.js';

/** The tag of this wire in the API's description. */
export const TAG = 'OpenAI Responses';

/** The descriptions of error responses by status (contract responses, section A4). */
const ERRORS: DocumentedErrors = {
  model: ResponsesErrorDto,
  text: {
    400: 'The request is invalid, the conversation is in use, or the previous response is unknown.',
    404: 'Unknown response, conversation, item or model.',
    413: 'The body is too large.',
    415: 'The body is not JSON in UTF-8.',
    429: 'Too many requests are waiting.',
    503: 'The server is shutting down, or the database is unavailable.',
  },
};

/** Documents a route and its errors. @param errors their HTTP statuses */
export function ApiRoute(summary: string, description: string, errors: readonly number[]): MethodDecorator {
  return apiRoute(ERRORS, summary, description, errors);
}

/** Documents a request for a response. */
export function ApiCreateResponse(): MethodDecorator {
  return ApiBody({ type: CreateResponseDto, examples: CREATE_EXAMPLES });
}

/** Documents the metadata and items of a conversation. */
export function ApiConversation(): MethodDecorator {
  return ApiBody({ schema: { type: 'object' }, examples: CONVERSATION_EXAMPLES });
}

/** Documents new items of a conversation. */
export function ApiItems(): MethodDecorator {
  return ApiBody({ schema: { type: 'object', required: ['items'] }, examples: ITEM_EXAMPLES });
}

/** Documents a response that is JSON or, on request, an event stream. */
export function ApiResponseStream(): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(ResponseDto, ...EVENT_DTOS, ...ITEM_DTOS),
    ApiResponse({
      status: 200,
      description:
        'One JSON response, or server-sent events named by their type, the last one `data: [DONE]`. Comments keep the connection alive.',
      headers: { 'X-Run-Id': { description: 'The id of the response.', schema: { type: 'string' } } },
      content: {
        'application/json': { schema: { $ref: getSchemaPath(ResponseDto) } },
        'text/event-stream': { schema: eventSchema() },
      },
    }),
  );
}
