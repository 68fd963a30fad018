import { applyDecorators } from '@nestjs/common';
import {
  ApiBody,
  ApiExtraModels,
  ApiHeader,
  ApiOperation,
  ApiParam,
  ApiQuery,
  ApiResponse,
  getSchemaPath,
} from '@nestjs/swagger';
import { apiErrors, type DocumentedErrors } from '../wire/api-route.js';
import {
  A2A_DTOS,
  A2aErrorDto,
  AgentCardDto,
  A2aAgentListDto,
  JwksDto,
  A2aPushConfigDto,
  A2aPushConfigListDto,
  A2aRpcRequestDto,
  A2aRpcResponseDto,
  A2aSendRequestDto,
  A2aSendResponseDto,
  A2aStreamResponseDto,
  A2aTaskDto,
  A2aTaskListDto,
} from './dto/a2a.dto.js';
import { CARD_EXAMPLE, RPC_EXAMPLES, SEND_EXAMPLES, STREAM_EXAMPLE, TASK_EXAMPLE } from './dto/examples.js';

/** The tag of this wire in the API's description. */
export const TAG = 'A2A';

/** The descriptions of errors by status (contract a2a, section 11). */
const ERRORS: DocumentedErrors = {
  model: A2aErrorDto,
  text: {
    400: 'The request is invalid, or the task cannot do this in its state.',
    401: 'The credential is missing or not valid.',
    403: 'The caller may not do this.',
    404: 'Unknown task, or one of somebody else.',
    409: 'The `Idempotency-Key` was used with another message.',
    413: 'The body is too large.',
    415: 'The body is not JSON in UTF-8.',
    429: 'Too many requests, or too many tasks wait.',
    503: 'The server is shutting down, or the database is unavailable.',
  },
};
const HEADERS = [
  ApiHeader({ name: 'A2A-Version', required: false, description: '`1.0`, or absent.', example: '1.0' }),
  ApiHeader({ name: 'A2A-Extensions', required: false, description: 'URIs of extensions, separated by commas.' }),
];
const LAST_EVENT = ApiHeader({
  name: 'Last-Event-ID',
  required: false,
  description: 'The id of the last frame that the client has: the stream goes on behind it, exactly as first sent.',
});
const KEY = ApiHeader({
  name: 'Idempotency-Key',
  required: false,
  description: 'An equal message with the same key is sent once, also without a context.',
});

/** Documents the JSON-RPC binding. */
export function ApiRpc(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      summary: 'Call a method by JSON-RPC',
      description:
        'All methods of A2A 1.0 (`SendMessage`, `SendStreamingMessage`, `GetTask`, `ListTasks`, `CancelTask`, `SubscribeToTask`, ' +
        'push notification configs, `GetExtendedAgentCard`) and of 0.3 (`message/send`, `message/stream`, `tasks/get` …). ' +
        'Streaming methods answer with server-sent events. Errors of the protocol have the status 200.',
    }),
    ...HEADERS,
    LAST_EVENT,
    KEY,
    ApiBody({ type: A2aRpcRequestDto, examples: RPC_EXAMPLES }),
    ApiExtraModels(...A2A_DTOS),
    ApiResponse({
      status: 200,
      description: 'The answer, or the frames of a stream.',
      content: {
        'application/json': { schema: { $ref: getSchemaPath(A2aRpcResponseDto) } },
        'text/event-stream': { schema: { $ref: getSchemaPath(A2aRpcResponseDto) } },
      },
    }),
    ...apiErrors({ ...ERRORS, model: A2aRpcResponseDto }, [401, 403, 413, 415, 429, 503]),
  );
}

/** Documents `POST message:send`. */
export function ApiSend(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      summary: 'Send a message and wait for its task',
      description:
        'Answers when the task is over or asks for something, with `configuration.returnImmediately` at once. A message with a ' +
        '`taskId`, or in a context whose task waits, answers that task.',
    }),
    ...HEADERS,
    KEY,
    ApiBody({ type: A2aSendRequestDto, examples: SEND_EXAMPLES }),
    ApiResponse({ status: 200, type: A2aSendResponseDto, description: 'The task; for some agents a message.' }),
    ...errors(400, 401, 403, 404, 409, 413, 415, 429, 503),
  );
}

/** Documents `POST message:stream`. */
export function ApiStream(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      summary: 'Send a message and stream its task',
      description: 'The task, then its updates, to its end or to a question.',
    }),
    ...HEADERS,
    KEY,
    LAST_EVENT,
    ApiBody({ type: A2aSendRequestDto, examples: SEND_EXAMPLES }),
    stream({ 'X-Run-Id': { description: 'The id of the run.', schema: { type: 'string' } } }),
    ...errors(400, 401, 403, 404, 409, 413, 415, 429, 503),
  );
}

/** Documents `GET tasks`. */
export function ApiListTasks(): MethodDecorator {
  return applyDecorators(
    ApiOperation({ summary: 'List tasks', description: 'Tasks of every wire, the last changed first.' }),
    ...HEADERS,
    ApiQuery({ name: 'contextId', required: false }),
    ApiQuery({ name: 'status', required: false, description: 'Such as `TASK_STATE_COMPLETED`.' }),
    ApiQuery({ name: 'pageSize', required: false, schema: { type: 'integer', minimum: 1, maximum: 100, default: 50 } }),
    ApiQuery({ name: 'pageToken', required: false }),
    ApiQuery({ name: 'historyLength', required: false, schema: { type: 'integer', minimum: 0 } }),
    ApiQuery({ name: 'statusTimestampAfter', required: false, schema: { type: 'string', format: 'date-time' } }),
    ApiQuery({ name: 'includeArtifacts', required: false, schema: { type: 'boolean', default: false } }),
    ApiResponse({ status: 200, type: A2aTaskListDto }),
    ...errors(400, 401, 403, 503),
  );
}

/** Documents `GET tasks/{id}`. */
export function ApiGetTask(): MethodDecorator {
  return applyDecorators(
    ApiOperation({ summary: 'Read a task', description: 'As it is now: every answer is one artifact.' }),
    ...HEADERS,
    taskId(),
    ApiQuery({ name: 'historyLength', required: false, schema: { type: 'integer', minimum: 0 } }),
    ApiResponse({
      status: 200,
      type: A2aTaskDto,
      content: { 'application/json': { schema: { $ref: getSchemaPath(A2aTaskDto) }, example: TASK_EXAMPLE } },
    }),
    ...errors(400, 401, 403, 404, 503),
  );
}

/** Documents `POST tasks/{id}:cancel`. */
export function ApiCancel(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      summary: 'Cancel a task',
      description: 'Waits up to ten seconds for its end. What it asks is given up.',
    }),
    ...HEADERS,
    taskId(),
    ApiResponse({ status: 200, type: A2aTaskDto }),
    ...errors(400, 401, 403, 404, 503),
  );
}

/** Documents `tasks/{id}:subscribe`. */
export function ApiSubscribe(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      summary: 'Watch a task',
      description:
        'The task as it is, then its updates until it is over, also over questions. With `Last-Event-ID` from there on.',
    }),
    ...HEADERS,
    LAST_EVENT,
    taskId(),
    stream(),
    ...errors(400, 401, 403, 404, 503),
  );
}

/** Documents `POST pushNotificationConfigs`. */
export function ApiCreateConfig(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      summary: 'Be called back about a task',
      description: 'Needs `A2A_PUSH_HOSTS`. With a known `id` it is replaced.',
    }),
    ...HEADERS,
    taskId(),
    ApiBody({ type: A2aPushConfigDto }),
    ApiResponse({ status: 200, type: A2aPushConfigDto }),
    ...errors(400, 401, 403, 404, 413, 415, 503),
  );
}

/** Documents `GET pushNotificationConfigs`. */
export function ApiConfigs(): MethodDecorator {
  return applyDecorators(
    ApiOperation({ summary: 'List the callbacks of a task' }),
    taskId(),
    ApiResponse({ status: 200, type: A2aPushConfigListDto }),
    ...errors(400, 401, 403, 404, 503),
  );
}

/** Documents `GET pushNotificationConfigs/{configId}`. */
export function ApiConfig(): MethodDecorator {
  return applyDecorators(
    ApiOperation({ summary: 'Read a callback of a task' }),
    taskId(),
    ApiParam({ name: 'configId' }),
    ApiResponse({ status: 200, type: A2aPushConfigDto }),
    ...errors(400, 401, 403, 404, 503),
  );
}

/** Documents `DELETE pushNotificationConfigs/{configId}`. */
export function ApiDeleteConfig(): MethodDecorator {
  return applyDecorators(
    ApiOperation({ summary: 'Remove a callback of a task', description: 'One that is not there is removed already.' }),
    taskId(),
    ApiParam({ name: 'configId' }),
    ApiResponse({ status: 200, description: 'An empty object.', schema: { type: 'object' } }),
    ...errors(400, 401, 403, 404, 503),
  );
}

/** Documents `GET extendedAgentCard`. */
export function ApiExtendedCard(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      summary: 'The agent card of the caller',
      description: 'The skills of all agents that it may run. Needs authentication.',
    }),
    ...HEADERS,
    ApiResponse({ status: 200, type: AgentCardDto }),
    ...errors(400, 401, 403),
  );
}

/** Documents an agent card. */
export function ApiCard(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      summary: 'The agent card',
      description: 'With `A2A-Version: 1.0`, the card of A2A 1.0; otherwise a card that also has the fields of 0.3.',
    }),
    ...HEADERS,
    ApiResponse({
      status: 200,
      type: AgentCardDto,
      content: { 'application/json': { schema: { $ref: getSchemaPath(AgentCardDto) }, example: CARD_EXAMPLE } },
    }),
    ApiResponse({ status: 304, description: 'The client has it (`If-None-Match`).' }),
    ApiResponse({ status: 404, description: 'Unknown agent, or one whose card the caller may not see.' }),
  );
}

/** Documents the list of agents. */
export function ApiAgents(): MethodDecorator {
  return applyDecorators(
    ApiOperation({ summary: 'Agents and the addresses of their cards' }),
    ApiResponse({ status: 200, type: A2aAgentListDto }),
  );
}

/** Documents the keys of signatures. */
export function ApiJwks(): MethodDecorator {
  return applyDecorators(
    ApiOperation({ summary: 'The public keys that agent cards are signed with' }),
    ApiResponse({ status: 200, type: JwksDto }),
  );
}

function taskId(): MethodDecorator & ClassDecorator {
  return ApiParam({ name: 'id', description: 'The id of a task.' });
}

function stream(headers: Parameters<typeof ApiResponse>[0]['headers'] = {}): MethodDecorator & ClassDecorator {
  return ApiResponse({
    status: 200,
    description: 'Server-sent events: the task, or a message, then updates.',
    headers,
    content: {
      'text/event-stream': { schema: { $ref: getSchemaPath(A2aStreamResponseDto) }, example: STREAM_EXAMPLE },
    },
  });
}

function errors(...statuses: readonly number[]): MethodDecorator[] {
  return apiErrors(ERRORS, statuses);
}
