import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiHeader, ApiOperation, ApiParam, ApiResponse } from '@nestjs/swagger';
import { AG_UI_PROTO_TYPE, anyEventSchema } from '../ag-ui-events/index.js';
import { AgUiErrorDto } from './dto/error-body.dto.js';
import { AG_UI_EVENT_MODELS } from './dto/event-models.js';
import { AG_UI_EXAMPLES, AgUiRunAgentInputDto } from './dto/run-agent-input.dto.js';

const ERRORS: Readonly<Record<number, string>> = {
  400: 'The request is not valid.',
  404: 'There is no such agent.',
  409: 'The thread is busy, or the run id was used with another request.',
  413: 'The body is too long.',
  415: 'The body is not JSON in UTF-8.',
  429: 'Too many runs are waiting.',
  503: 'The server is shutting down or its database is away.',
};

/** Documents a route that runs an agent and streams AG-UI events. */
export function ApiAgUiRun(summary: string): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      summary,
      description:
        'Starts a run and streams its events, camelCase, one `data:` line each. Nothing is ever null. The run goes on when the client leaves. `Accept: application/vnd.ag-ui.event+proto` gives the binary stream.',
    }),
    ApiBody({ type: AgUiRunAgentInputDto, examples: AG_UI_EXAMPLES }),
    ApiHeader({ name: 'X-User-Id', required: false, description: 'The user, when forwardedProps.user_id says none.' }),
    ApiExtraModels(...AG_UI_EVENT_MODELS),
    ApiResponse({
      status: 200,
      description: 'The events; the last is RUN_FINISHED or RUN_ERROR.',
      headers: {
        'Content-Location': { description: 'Where the run can be watched again.', schema: { type: 'string' } },
        'X-Run-Id': { description: "The server's id of the run.", schema: { type: 'string' } },
      },
      content: {
        'text/event-stream': { schema: anyEventSchema() },
        [AG_UI_PROTO_TYPE]: { schema: { type: 'string', format: 'binary' } },
      },
    }),
    ...Object.entries(ERRORS).map(([status, description]) =>
      ApiResponse({ status: Number(status), description, type: AgUiErrorDto }),
    ),
  );
}

/** Documents the agent in the path. */
export function ApiAgentPath(): MethodDecorator {
  return ApiParam({
    name: 'agentId',
    example: 'worker',
    description: 'The agent type; `default` for the default one.',
  });
}
