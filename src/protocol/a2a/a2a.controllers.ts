import { Body, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiTags } from '@nestjs/swagger';
import { Caller, Needs } from '../../access/index.js';
import { AppError } from '../../common/index.js';
import { AlsoReads, NoBody, pathOf, SseGet, SsePost, type StreamClient, StreamFor } from '../http/index.js';
import { WireController } from '../wire/index.js';
import { A2aWire } from './a2a.wire.js';
import {
  ApiCancel,
  ApiConfig,
  ApiConfigs,
  ApiCreateConfig,
  ApiDeleteConfig,
  ApiExtendedCard,
  ApiGetTask,
  ApiListTasks,
  ApiRpc,
  ApiSend,
  ApiStream,
  ApiSubscribe,
  TAG,
} from './api-docs.js';
import { type Answer, Binding } from './binding.js';

/** The media type of the protocol itself. */
const A2A_JSON = 'application/a2a+json';
/** The addresses of all agents, and of one. */
const BASES = ['a2a', 'a2a/agents/:agent'];
const TASK = 'tasks/:id(^[^:]+)';
/** Parameters of queries that are numbers and flags: what is neither stays a text, which is refused where it is read. */
const NUMBERS: ReadonlySet<string> = new Set(['pageSize', 'page_size', 'historyLength', 'history_length']);
const FLAGS: ReadonlySet<string> = new Set(['includeArtifacts', 'include_artifacts']);

/** The JSON-RPC binding, of both versions (contract a2a, section 1.3). */
@ApiTags(TAG)
@WireController(A2aWire, BASES)
export class A2aRpcController {
  constructor(private readonly binding: Binding) {}

  @SsePost('')
  @Needs('runs:read')
  @AlsoReads(A2A_JSON)
  @ApiRpc()
  call(@Body() body: unknown, @Caller() caller: Caller, @StreamFor() client: StreamClient): Promise<Answer> {
    return this.binding.rpc(body, caller, client);
  }

  /** Clients that resolve the address of the agent against a base add a slash. */
  @SsePost('*')
  @Needs('runs:read')
  @AlsoReads(A2A_JSON)
  @ApiExcludeEndpoint()
  callWithSlash(@Body() body: unknown, @Caller() caller: Caller, @StreamFor() client: StreamClient): Promise<Answer> {
    const { request } = client;
    if (!pathOf(request).endsWith('/')) throw new AppError('RESOURCE_NOT_FOUND', `There is no ${pathOf(request)}`);
    return this.binding.rpc(body, caller, client);
  }
}

/** The REST binding, of 1.0 (contract a2a, section 1.1). */
@ApiTags(TAG)
@WireController(A2aWire, BASES)
export class A2aRestController {
  constructor(private readonly binding: Binding) {}

  @SsePost('message::send')
  @Needs('runs:write')
  @AlsoReads(A2A_JSON)
  @ApiSend()
  send(@Body() body: unknown, @Caller() caller: Caller, @StreamFor() client: StreamClient): Promise<Answer> {
    return this.binding.rest('SendMessage', body, caller, client);
  }

  @SsePost('message::stream')
  @Needs('runs:write')
  @AlsoReads(A2A_JSON)
  @ApiStream()
  stream(@Body() body: unknown, @Caller() caller: Caller, @StreamFor() client: StreamClient): Promise<Answer> {
    return this.binding.rest('SendStreamingMessage', body, caller, client);
  }

  @Get('tasks')
  @Needs('runs:read')
  @ApiListTasks()
  list(@Query() query: Record<string, unknown>, @Caller() caller: Caller, @StreamFor() client: StreamClient) {
    return this.binding.rest('ListTasks', queryParams(query), caller, client);
  }

  @Get(TASK)
  @Needs('runs:read')
  @ApiGetTask()
  get(
    @Param('id') id: string,
    @Query() query: Record<string, unknown>,
    @Caller() caller: Caller,
    @StreamFor() client: StreamClient,
  ) {
    return this.binding.rest('GetTask', { ...queryParams(query), id }, caller, client);
  }

  @SsePost('tasks/:id(^[^:]+)::cancel')
  @Needs('runs:write')
  @NoBody()
  @AlsoReads(A2A_JSON)
  @ApiCancel()
  cancel(
    @Param('id') id: string,
    @Body() body: unknown,
    @Caller() caller: Caller,
    @StreamFor() client: StreamClient,
  ): Promise<Answer> {
    return this.binding.rest('CancelTask', { ...objectOf(body), id }, caller, client);
  }

  @SseGet('tasks/:id(^[^:]+)::subscribe')
  @Needs('runs:read')
  @ApiSubscribe()
  subscribe(@Param('id') id: string, @Caller() caller: Caller, @StreamFor() client: StreamClient): Promise<Answer> {
    return this.binding.rest('SubscribeToTask', { id }, caller, client);
  }

  /** The proto says GET, the text of the specification and both SDKs say POST. */
  @SsePost('tasks/:id(^[^:]+)::subscribe')
  @Needs('runs:read')
  @NoBody()
  @AlsoReads(A2A_JSON)
  @ApiSubscribe()
  subscribeByPost(
    @Param('id') id: string,
    @Caller() caller: Caller,
    @StreamFor() client: StreamClient,
  ): Promise<Answer> {
    return this.binding.rest('SubscribeToTask', { id }, caller, client);
  }

  @Post('tasks/:id/pushNotificationConfigs')
  @HttpCode(200)
  @Needs('runs:write')
  @AlsoReads(A2A_JSON)
  @ApiCreateConfig()
  createConfig(
    @Param('id') taskId: string,
    @Body() body: unknown,
    @Caller() caller: Caller,
    @StreamFor() client: StreamClient,
  ) {
    return this.binding.rest('CreateTaskPushNotificationConfig', { ...objectOf(body), taskId }, caller, client);
  }

  @Get('tasks/:id/pushNotificationConfigs')
  @Needs('runs:read')
  @ApiConfigs()
  configs(@Param('id') taskId: string, @Caller() caller: Caller, @StreamFor() client: StreamClient) {
    return this.binding.rest('ListTaskPushNotificationConfigs', { taskId }, caller, client);
  }

  @Get('tasks/:id/pushNotificationConfigs/:configId')
  @Needs('runs:read')
  @ApiConfig()
  config(
    @Param('id') taskId: string,
    @Param('configId') id: string,
    @Caller() caller: Caller,
    @StreamFor() client: StreamClient,
  ) {
    return this.binding.rest('GetTaskPushNotificationConfig', { taskId, id }, caller, client);
  }

  @Delete('tasks/:id/pushNotificationConfigs/:configId')
  @Needs('runs:write')
  @ApiDeleteConfig()
  deleteConfig(
    @Param('id') taskId: string,
    @Param('configId') id: string,
    @Caller() caller: Caller,
    @StreamFor() client: StreamClient,
  ) {
    return this.binding.rest('DeleteTaskPushNotificationConfig', { taskId, id }, caller, client);
  }

  @Get('extendedAgentCard')
  @Needs('runs:read')
  @ApiExtendedCard()
  extendedCard(@Caller() caller: Caller, @StreamFor() client: StreamClient) {
    return this.binding.rest('GetExtendedAgentCard', {}, caller, client);
  }
}

/** The members of a body; anything else is refused where the method reads it. */
function objectOf(body: unknown): object {
  return typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {};
}

/** The parameters of a query as those of the method that the route stands for. */
function queryParams(query: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, paramOf(name, value)]));
}

function paramOf(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (NUMBERS.has(name) && /^-?\d{1,15}$/.test(value)) return Number(value);
  if (FLAGS.has(name) && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}
