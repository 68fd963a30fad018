import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOperation, ApiParam, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { apiErrors, type DocumentedErrors, ErrorBodyDto } from '../wire/api-route.js';
import { CHAT_DTOS, ChatMessagesDto, ChatRequestDto, ChunkDto, ChatStopDto } from './dto/ai-sdk.dto.js';
import { CHAT_EXAMPLES, CHAT_STREAM_EXAMPLE } from './dto/examples.js';

/** The tag of this wire in the API's description. */
export const TAG = 'AI SDK';

/** The descriptions of errors by status (contract ui-message-stream, section A6). */
const ERRORS: DocumentedErrors = {
  model: ErrorBodyDto,
  text: {
    400: 'The request is invalid, or has nothing new for the chat.',
    403: 'The caller may not do this, or may not decide the approval.',
    404: 'Unknown agent.',
    409: 'The message is known with another content, the chat is busy, or the approval was decided otherwise.',
    410: 'The approval has expired.',
    413: 'The body is too large.',
    415: 'The body is not JSON in UTF-8.',
    429: 'Too many requests.',
    503: 'The server is shutting down, or the database is unavailable.',
  },
};

/** Documents a request that is answered with a stream. */
export function ApiChat(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      summary: 'Say something in a chat, answer what it waits for, or ask again',
      description:
        'The body of a `DefaultChatTransport`. Only the last message counts: the history of the server is the truth. ' +
        'A message of the user begins a turn; one of the assistant answers approvals and calls of the page.',
    }),
    ApiBody({ type: ChatRequestDto, examples: CHAT_EXAMPLES }),
    ApiExtraModels(...CHAT_DTOS),
    streamResponse('The answer as server-sent events, the last one `data: [DONE]`.'),
    ...errors(400, 403, 404, 409, 410, 413, 415, 429, 503),
  );
}

/** Documents the agent in a path. */
export function ApiAgentId(): ClassDecorator & MethodDecorator {
  return ApiParam({ name: 'agentId', description: 'An agent type.', example: 'worker' });
}

/** Documents the stream of a chat. */
export function ApiChatStream(summary: string): MethodDecorator {
  return applyDecorators(
    ApiOperation({ summary, description: 'The turn in progress from its start, then live, in one stream.' }),
    streamResponse('The whole turn as server-sent events.'),
    ApiResponse({ status: 204, description: 'Nothing is in progress, or the chat is not known.' }),
    ...errors(400, 403, 429, 503),
  );
}

/** Documents the stop button of a page. */
export function ApiChatStop(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      summary: 'Stop the answer of a chat',
      description: 'Whether something was in progress or not. What waits for an answer goes on waiting.',
    }),
    ApiBody({ type: ChatStopDto, required: false }),
    ApiResponse({
      status: 200,
      schema: { type: 'object', properties: { success: { type: 'boolean', enum: [true] } }, required: ['success'] },
    }),
    ...errors(400, 403, 503),
  );
}

/** Documents the messages of a chat. */
export function ApiChatMessages(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      summary: 'The messages of a chat',
      description:
        'Messages as `useChat` shows them, oldest first; empty for an unknown chat. The answer in progress is left out, because the stream of the chat brings it whole.',
    }),
    ApiResponse({ status: 200, type: ChatMessagesDto }),
    ...errors(400, 403, 503),
  );
}

function streamResponse(description: string): MethodDecorator {
  const text = (name: string, about: string) => ({
    [name]: { description: about, schema: { type: 'string' as const } },
  });
  return ApiResponse({
    status: 200,
    description,
    headers: {
      ...text('X-Run-Id', 'The id of the run.'),
      ...text('X-Session-Id', 'The id of the chat.'),
      ...text('x-vercel-ai-ui-message-stream', '`v1`'),
    },
    content: { 'text/event-stream': { schema: { $ref: getSchemaPath(ChunkDto) }, example: CHAT_STREAM_EXAMPLE } },
  });
}

function errors(...statuses: readonly number[]): MethodDecorator[] {
  return apiErrors(ERRORS, statuses);
}
