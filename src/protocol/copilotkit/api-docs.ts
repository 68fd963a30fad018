import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation, ApiParam, ApiResponse } from '@nestjs/swagger';
import { anyEventSchema } from '../ag-ui-events/index.js';

const USER = { name: 'X-User-Id', required: false, description: 'The user; each thread is one of its own otherwise.' };
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
    ApiResponse({ status: 404, description: 'There is no such agent.' }),
  );
}

/** Documents `run`. */
export function ApiRun(): MethodDecorator {
  return applyDecorators(
    ApiOperation({ summary: 'Run an agent', description: 'A RunAgentInput; the run goes on when the client leaves.' }),
    input({ threadId: 'thread-1', runId: 'run-1', messages: [question], tools: [], context: [], state: {} }),
    events,
    ApiResponse({ status: 400, description: 'The body is not valid.' }),
  );
}

/** Documents `connect`. */
export function ApiConnect(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      summary: 'Restore a thread',
      description: 'The events of all runs of the thread, then those of the run in progress until it ends.',
    }),
    input({ threadId: 'thread-1', runId: 'connect-1', messages: [] }),
    events,
  );
}

/** Documents `stop`. */
export function ApiStop(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      summary: 'Stop a thread, or one run of it',
      description: 'With `runId` only that run: a stop that comes late does not touch the next one.',
    }),
    ApiBody({
      required: false,
      schema: { type: 'object', properties: { runId: { type: 'string' } }, example: { runId: 'run-1' } },
    }),
    ApiResponse({ status: 200, schema: { type: 'object', additionalProperties: true } }),
    ApiResponse({ status: 400, description: 'The body names no run; nothing is stopped.' }),
  );
}
