import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiParam, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { apiRoute, type DocumentedErrors } from '../wire/api-route.js';
import { AG_KIT_EVENT_DTOS, agKitEventSchema } from './dto/event.dto.js';
import { AgKitErrorBodyDto, AgKitRequestDto, BotRequestDto, SEND_MESSAGE_EXAMPLES } from './dto/request.dto.js';

const ERRORS: DocumentedErrors = {
  model: AgKitErrorBodyDto,
  text: {
    400: 'The request is invalid.',
    404: 'Unknown agent, conversation or interrupt.',
    409: 'The conversation is busy, or the interrupt was answered.',
    410: 'The interrupt has expired.',
    413: 'The body is too large.',
    415: 'The body is not JSON in UTF-8.',
    503: 'The server is shutting down, or the database is unavailable.',
  },
};

/** Documents a route of the AG-Kit wire and the errors it may answer with before a stream. */
export function ApiAgKitRoute(summary: string, description: string, errors: readonly number[]): MethodDecorator {
  return apiRoute(ERRORS, summary, description, errors);
}

/** Documents the agent of a path. */
export function ApiAgentId(): MethodDecorator {
  return ApiParam({ name: 'agentId', description: 'The agent type.', schema: { type: 'string', default: 'worker' } });
}

/** Documents `send-message`: its dialects, their events and examples. */
export function ApiSendMessage(summary: string): MethodDecorator {
  const description =
    'The body selects one of three dialects: AG-Kit (`conversationId`), AG-UI (`threadId` or `runId`, with the events of the AG-UI routes and without `[DONE]`), or the older bots (`msg`, text only).';
  const body = {
    anyOf: [
      { $ref: getSchemaPath(AgKitRequestDto) },
      { $ref: getSchemaPath(BotRequestDto) },
      { type: 'object', description: 'A RunAgentInput of AG-UI.' },
    ],
  };
  return applyDecorators(
    ApiExtraModels(AgKitRequestDto, BotRequestDto, ...Object.values(AG_KIT_EVENT_DTOS)),
    ApiBody({ schema: body, examples: SEND_MESSAGE_EXAMPLES }),
    ApiAgKitRoute(summary, description, [400, 404, 409, 410, 413, 415, 503]),
    ApiResponse({
      status: 200,
      description:
        'Server-sent events of one line `data: <JSON>`. In the AG-Kit and bot dialects, the last one is `data: [DONE]`.',
      headers: {
        'Content-Location': { description: 'Where the run can be watched again.', schema: { type: 'string' } },
        'X-Run-Id': { description: 'The id of the run.', schema: { type: 'string' } },
      },
      content: { 'text/event-stream': { schema: agKitEventSchema() } },
    }),
  );
}
