import { Injectable } from '@nestjs/common';
import type { Observable } from 'rxjs';
import type { Caller } from '../../access/index.js';
import type { Json, JsonObject } from '../../common/index.js';
import type { StreamClient } from '../http/index.js';
import { A2aError } from './a2a.errors.js';
import { A2aService } from './a2a.service.js';
import type { Version } from './a2a.types.js';
import { CardService } from './card/card.service.js';
import { PushService } from './push/push.service.js';
import type { RequestContext } from './request-context.js';
import { SHAPES } from './shapes.js';
import { TaskStreams } from './task-streams.js';
import { DECODE_V03 } from './v03/v03.decoder.js';
import { DECODE_V1 } from './v1/v1.decoder.js';
import { taskPageJson } from './v1/v1.encoder.js';

/** The frames of a stream, in batches that are written at once. */
type Frames = Observable<readonly string[]>;

/** A call of a method. */
export interface MethodCall {
  readonly params: unknown;
  readonly context: RequestContext;
  readonly caller: Caller;
  readonly client: StreamClient;
  /** As in `StreamFormat`. */
  readonly rpcId: string | number | null | undefined;
}

/** What a method does: a result, one that may come late, or a stream. */
export type Method =
  | { readonly kind: 'result'; readonly call: (call: MethodCall) => Promise<Json> }
  | { readonly kind: 'late'; readonly call: (call: MethodCall) => Promise<Json> }
  | { readonly kind: 'stream'; readonly call: (call: MethodCall) => Promise<Frames> };

/** The methods of both versions by their names (contract a2a, sections 1.1 and 3.2); the REST binding calls those of 1.0. */
@Injectable()
export class RpcMethods {
  private readonly methods: Readonly<Record<Version, ReadonlyMap<string, Method>>>;

  constructor(
    private readonly service: A2aService,
    private readonly streams: TaskStreams,
    private readonly push: PushService,
    private readonly cards: CardService,
  ) {
    this.methods = { '1.0': new Map(Object.entries(this.v1())), '0.3': new Map(Object.entries(this.v03())) };
  }

  /** @throws A2aError METHOD_NOT_FOUND */
  find(version: Version, name: string): Method {
    const method = this.methods[version].get(name);
    if (!method)
      throw new A2aError('METHOD_NOT_FOUND', `There is no method ${name.slice(0, 100)} in version ${version}`);
    return method;
  }

  private v1(): Readonly<Record<string, Method>> {
    const { service } = this;
    return {
      SendMessage: late((call) => this.send('1.0', call)),
      SendStreamingMessage: { kind: 'stream', call: (call) => this.stream('1.0', call) },
      GetTask: result(async ({ params, context, caller }) => {
        const { taskId, historyLength } = DECODE_V1.task(params);
        return SHAPES['1.0'].task(await service.get(taskId, context.agentType, historyLength, caller));
      }),
      ListTasks: result(async ({ params, context, caller }) => {
        const request = DECODE_V1.list(params);
        return taskPageJson(await service.list(request, context.agentType, caller), request);
      }),
      CancelTask: late((call) => this.cancel('1.0', call)),
      SubscribeToTask: { kind: 'stream', call: (call) => this.subscribe('1.0', call) },
      CreateTaskPushNotificationConfig: result(async ({ params, context, caller }) => {
        caller.need('runs:write');
        const { taskId, config } = this.push.on(() => DECODE_V1.createPush(params));
        return SHAPES['1.0'].pushConfig(await this.push.create(taskId, config, '1.0', context.agentType, caller));
      }),
      GetTaskPushNotificationConfig: result(async ({ params, context, caller }) => {
        const { taskId, id } = this.push.on(() => DECODE_V1.push(params));
        return SHAPES['1.0'].pushConfig(await this.push.get(taskId, id, context.agentType, caller));
      }),
      ListTaskPushNotificationConfigs: result(async ({ params, context, caller }) => {
        const { taskId } = this.push.on(() => DECODE_V1.pushOf(params));
        const configs = await this.push.list(taskId, context.agentType, caller);
        return { configs: configs.map((config) => SHAPES['1.0'].pushConfig(config)), nextPageToken: '' };
      }),
      DeleteTaskPushNotificationConfig: result(async ({ params, context, caller }) => {
        caller.need('runs:write');
        const { taskId, id } = this.push.on(() => DECODE_V1.push(params));
        await this.push.remove(taskId, id, context.agentType, caller);
        return {};
      }),
      GetExtendedAgentCard: result(({ context, caller, client }) =>
        this.cards.extended('1.0', context.agentType, caller, client),
      ),
    };
  }

  private v03(): Readonly<Record<string, Method>> {
    const { service } = this;
    return {
      'message/send': late((call) => this.send('0.3', call)),
      'message/stream': { kind: 'stream', call: (call) => this.stream('0.3', call) },
      'tasks/get': result(async ({ params, context, caller }) => {
        const { taskId, historyLength } = DECODE_V03.task(params);
        return SHAPES['0.3'].task(await service.get(taskId, context.agentType, historyLength, caller));
      }),
      'tasks/cancel': late((call) => this.cancel('0.3', call)),
      'tasks/resubscribe': { kind: 'stream', call: (call) => this.subscribe('0.3', call) },
      'tasks/pushNotificationConfig/set': result(async ({ params, context, caller }) => {
        caller.need('runs:write');
        const { taskId, config } = this.push.on(() => DECODE_V03.createPush(params));
        return SHAPES['0.3'].pushConfig(await this.push.create(taskId, config, '0.3', context.agentType, caller));
      }),
      'tasks/pushNotificationConfig/get': result(async ({ params, context, caller }) => {
        const { taskId, id } = this.push.on(() => DECODE_V03.push(params));
        return SHAPES['0.3'].pushConfig(await this.push.get(taskId, id, context.agentType, caller));
      }),
      'tasks/pushNotificationConfig/list': result(async ({ params, context, caller }) => {
        const { taskId } = this.push.on(() => DECODE_V03.push(params));
        const configs = await this.push.list(taskId, context.agentType, caller);
        return configs.map((config) => SHAPES['0.3'].pushConfig(config));
      }),
      'tasks/pushNotificationConfig/delete': result(async ({ params, context, caller }) => {
        caller.need('runs:write');
        const { taskId, id } = this.push.on(() => DECODE_V03.push(params));
        await this.push.remove(taskId, id, context.agentType, caller);
        return null;
      }),
      'agent/getAuthenticatedExtendedCard': result(({ context, caller, client }) =>
        this.cards.extended('0.3', context.agentType, caller, client),
      ),
    };
  }

  private async send(version: Version, { params, context, caller, client }: MethodCall): Promise<JsonObject> {
    caller.need('runs:write');
    const request = version === '1.0' ? DECODE_V1.send(params) : DECODE_V03.send(params);
    const accepted = await this.push.ofRequest(request, version);
    const sent = await this.service.send(request, { ...context, version }, caller, client, accepted);
    const shapes = SHAPES[version];
    return sent.kind === 'task' ? shapes.taskFrame(sent.task) : shapes.messageFrame(sent.message);
  }

  private async stream(version: Version, { params, context, caller, client, rpcId }: MethodCall): Promise<Frames> {
    caller.need('runs:write');
    const request = version === '1.0' ? DECODE_V1.send(params) : DECODE_V03.send(params);
    const accepted = await this.push.ofRequest(request, version);
    return this.streams.send(
      request,
      { ...context, version },
      { ...context, version, rpcId },
      { caller, client, accepted },
    );
  }

  private subscribe(version: Version, { params, context, caller, client, rpcId }: MethodCall): Promise<Frames> {
    const { taskId } = version === '1.0' ? DECODE_V1.task(params) : DECODE_V03.task(params);
    return this.streams.subscribe(taskId, context.agentType, { ...context, version, rpcId }, { caller, client });
  }

  private async cancel(version: Version, { params, context, caller }: MethodCall): Promise<JsonObject> {
    caller.need('runs:write');
    const { taskId } = version === '1.0' ? DECODE_V1.task(params) : DECODE_V03.task(params);
    return SHAPES[version].task(await this.service.cancel(taskId, context.agentType, caller));
  }
}

function result(call: (call: MethodCall) => Promise<Json>): Method {
  return { kind: 'result', call };
}

function late(call: (call: MethodCall) => Promise<Json>): Method {
  return { kind: 'late', call };
}
