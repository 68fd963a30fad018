import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/index.js';
import { isPlainObject, type JsonObject } from '../../common/index.js';
import { fieldReaderAt, type StreamClient } from '../http/index.js';
import type { CallAnswer } from './call.service.js';
import type { ToolCallRequest } from './call-submission.js';
import { resultMessage, SERVER_INFO } from './fold/result-message.js';
import { McpError } from './mcp.errors.js';
import { isRpcId, type RpcMessage } from './rpc/rpc-message.js';
import { type Peer, TASKS, VERSIONS } from './mcp.types.js';
import { ResourcesService } from './resources.service.js';
import { TasksService } from './tasks.service.js';
import { ToolsService } from './tools.service.js';
import { ToolList } from './tools/tool-list.js';

/** For how long a client may keep a list, in milliseconds. */
const LIST_TTL_MS = 60_000;

/** How a model is told what the server is. */
export const INSTRUCTIONS =
  'Each tool ask_… is an agent. A result has a session_id: hand it back to go on in that conversation, and leave it out to ' +
  'begin another one. If the status is in_progress or waiting, call get_answer with the run_id.';

/** A request, with who sends it. */
export interface MethodCall {
  readonly request: Extract<RpcMessage, { kind: 'request' }>;
  readonly peer: Peer;
  readonly caller: Caller;
  readonly client: StreamClient;
}

type Method = (call: MethodCall) => Promise<CallAnswer> | CallAnswer;

/** The methods of both eras by their names (contract mcp-server, sections 3 and 4). */
@Injectable()
export class McpMethods {
  private readonly methods: Readonly<Record<Peer['era'], ReadonlyMap<string, Method>>>;

  constructor(
    private readonly list: ToolList,
    private readonly tools: ToolsService,
    private readonly tasks: TasksService,
    private readonly resources: ResourcesService,
  ) {
    const both: Readonly<Record<string, Method>> = {
      'tools/call': (call) => this.call(call),
      ...this.lists(),
    };
    this.methods = {
      legacy: new Map(Object.entries({ ...both, ping: plain(() => ({})), 'logging/setLevel': plain(() => ({})) })),
      modern: new Map(
        Object.entries({
          ...both,
          'server/discover': cached('public', () => this.discovered()),
          'tasks/get': plain(({ request, peer, caller }) => this.tasks.get(request.params, peer, caller)),
          'tasks/update': plain(({ request, peer, caller }) => this.tasks.update(request.params, peer, caller)),
          'tasks/cancel': plain(({ request, peer, caller }) => this.tasks.cancel(request.params, peer, caller)),
        }),
      ),
    };
  }

  /** What the server can do in the era with sessions. */
  get capabilities(): JsonObject {
    return { tools: {}, prompts: {}, ...(this.resources.isOn && { resources: {} }), logging: {} };
  }

  /** @throws McpError METHOD_NOT_FOUND, with the status 404 in the modern era; what the method throws */
  async run(call: MethodCall): Promise<CallAnswer> {
    const { request, peer } = call;
    const method = this.methods[peer.era].get(request.method);
    if (method) return method(call);
    const status = peer.era === 'modern' ? 404 : 200;
    throw new McpError('METHOD_NOT_FOUND', `There is no method ${request.method.slice(0, 100)}`, { status });
  }

  private lists(): Readonly<Record<string, Method>> {
    const cursorOf = (params: unknown): unknown => (isPlainObject(params) ? params['cursor'] : undefined);
    return {
      'tools/list': cached('private', ({ caller, request }) => this.list.page(caller, cursorOf(request.params))),
      'prompts/list': cached('public', () => ({ prompts: [] })),
      ...(this.resources.isOn && {
        'resources/list': cached('private', ({ caller }) => this.resources.list(caller)),
        'resources/templates/list': cached('public', () => this.resources.templates()),
        'resources/read': cached('private', ({ caller, request }) => this.resources.read(request.params, caller)),
      }),
    };
  }

  private discovered(): JsonObject {
    const { logging: _logging, ...capabilities } = this.capabilities;
    return {
      supportedVersions: [...VERSIONS],
      capabilities: { ...capabilities, extensions: { [TASKS]: {} } },
      serverInfo: SERVER_INFO,
      instructions: INSTRUCTIONS,
    };
  }

  private call({ request, peer, caller, client }: MethodCall): Promise<CallAnswer> {
    const params = fieldReaderAt(request.params ?? {}, 'params');
    const tool = params.string('name', { min: 1, max: 256 });
    if (tool === undefined) throw new McpError('INVALID_PARAMS', 'params.name is required');
    const args = params.object('arguments') ?? {};
    const token = params.object('_meta')?.['progressToken'];
    const call: ToolCallRequest = {
      id: request.id,
      tool,
      args,
      token: peer.readsStreams && isRpcId(token) ? token : undefined,
      peer,
      caller,
    };
    return this.tools.call(request.params, call, client);
  }
}

/** A method with a result that nobody keeps. */
function plain(work: (call: MethodCall) => JsonObject | Promise<JsonObject>): Method {
  return async (call) => resultMessage({ era: call.peer.era, id: call.request.id }, await work(call));
}

/** A method with a result that clients may keep for a while. @param scope `private`: it depends on the caller */
function cached(scope: 'public' | 'private', work: (call: MethodCall) => JsonObject | Promise<JsonObject>): Method {
  return plain(async (call) => {
    const result = await work(call);
    return call.peer.era === 'legacy' ? result : { ...result, ttlMs: LIST_TTL_MS, cacheScope: scope };
  });
}
