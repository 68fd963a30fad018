import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation, ApiParam, ApiResponse } from '@nestjs/swagger';
import { anyEventSchema } from '../ag-ui-events/index.js';

const USER = {
  name: 'X-User-Id',
  required: false,
  description: 'The user. Without it, each thread has a user of its own.',
};
const input = (example: object) => ApiBody({ schema: { type: 'object', additionalProperties: true, example } });
const events = ApiResponse({
  status: 200,
  description: 'AG-UI events, one `data:` line each.',
  content: { 'text/event-stream': { schema: anyEventSchema() } },
});
const question = { id: 'u1', role: 'user', content: 'What is the capital of France?' };

/** Documents the agent in the path and the user in the headers. */
export function ApiAgent(): MethodDecorator {
  return applyDecorators(
    ApiParam({ name: 'agentId', example: 'default' }),
    ApiHeader(USER),
    ApiResponse({ status: 404, description: 'Unknown agent.' }),
  );
}

/** Documents `run`. */
export function ApiRun(): MethodDecorator {
  return applyDecorators(
    ApiOperation({ summary: 'Run an agent', description: 'A RunAgentInput. Disconnecting does not stop the run.' }),
    input({ threadId: 'thread-1', runId: 'run-1', messages: [question], tools: [], context: [], state: {} }),
    events,
    ApiResponse({ status: 400, description: 'The body is invalid.' }),
  );
}

/** Documents `connect`. */
export function ApiConnect(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      summary: 'Restore a thread',
      description: 'The events of all runs of the thread, then live events of the run in progress until it ends.',
    }),
    input({ threadId: 'thread-1', runId: 'connect-1', messages: [] }),
    events,
  );
}

/** Documents `stop`. */
export function ApiStop(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      summary: 'Stop a thread, or one run',
      description: 'With `runId` only that run, so a late stop does not affect the next run.',
    }),
    ApiBody({
      required: false,
      schema: { type: 'object', properties: { runId: { type: 'string' } }, example: { runId: 'run-1' } },
    }),
    ApiResponse({ status: 200, schema: { type: 'object', additionalProperties: true } }),
    ApiResponse({ status: 400, description: 'The run id in the body is invalid; nothing is stopped.' }),
  );
}

/** Documents the single endpoint. */
export function ApiMethodCall(methods: readonly string[]): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      summary: 'The single endpoint',
      description: '`{method, params: {agentId, threadId}, body}`: info, agent/run, agent/connect or agent/stop.',
    }),
    ApiBody({
      schema: {
        type: 'object',
        required: ['method'],
        properties: {
          method: { type: 'string', enum: [...methods] },
          params: { type: 'object', additionalProperties: true },
          body: { type: 'object', additionalProperties: true },
        },
        example: { method: 'info' },
      },
    }),
  );
}
