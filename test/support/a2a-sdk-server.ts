import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LoopbackServer } from './loopback-server.js';

/** The official server of version 1.0, and that of version 0.3, as they are published. */
export const SDK_NAMES = { '1.0': '@a2a-js/sdk', '0.3': 'a2a-sdk-03' } as const;
/** A version with an official server. */
export type SdkVersion = keyof typeof SDK_NAMES;

type Bag = Readonly<Record<string, unknown>>;
interface Handler {
  handle(body: unknown, context?: unknown): Promise<object>;
}
/** What the packages export; their types are those of their own objects, not of the JSON. */
interface SdkServer {
  readonly DefaultRequestHandler: new (
    card: object,
    store: object,
    executor: object,
    ...more: unknown[]
  ) => RequestHandler;
  readonly InMemoryTaskStore: new () => object;
  readonly JsonRpcTransportHandler: (new (handler: RequestHandler) => Handler) & {
    mapToJSONRPCError(error: unknown): object;
  };
  readonly ServerCallContext: new (options?: object) => object;
}
interface RequestHandler {
  getAgentCard(): Promise<object>;
}
interface Sdk {
  readonly AgentCard: { fromJSON(json: object): object; toJSON(card: object): object };
  readonly Task: { fromJSON(json: object): object };
  readonly generateAgentCardSignature: (key: unknown, header: object) => unknown;
}
interface Turn {
  readonly taskId: string;
  readonly contextId: string;
  readonly userMessage: object;
  readonly task?: object;
}
interface Bus {
  publish(event: object): void;
  finished(): void;
}

/** A request that the server got. */
export interface SeenCall {
  readonly method: string;
  readonly params: Bag;
  readonly headers: IncomingMessage['headers'];
}

/** The text that a task is begun with to ask a question before it is completed. */
export const ASKING = 'Ask me.';

/**
 * The official JavaScript server of A2A over JSON-RPC: each task is completed with the artifact "Hello.", that of `ASKING`
 * after an answer. It takes no cancellation, so that a process that dies in a test leaves its task as a real one would.
 */
export class A2aSdkServer extends LoopbackServer {
  readonly calls: SeenCall[] = [];
  /** True: messages are lost, and answered as if they had begun a task. */
  isLossy = false;
  private handler: Handler | undefined;
  private context: (headers: IncomingMessage['headers']) => unknown = () => undefined;
  private errorOf: (error: unknown) => object = () => ({});
  private card: () => Promise<object> = () => Promise.resolve({});

  /** @param signing a private key, and the header of the signature that the card gets with it; only of version 1.0 */
  static async start(
    version: SdkVersion,
    { signing, ...fields }: Bag & { readonly signing?: readonly [unknown, object] } = {},
  ): Promise<A2aSdkServer> {
    const server = await new A2aSdkServer().listen();
    const name = SDK_NAMES[version];
    const sdk = (await import(name)) as Sdk;
    const own = (await import(`${name}/server`)) as SdkServer;
    const { url } = server;
    const common = { name: 'hello', description: 'Says hello.', version: '1', ...MODES, ...fields };
    const isNew = version === '1.0';
    const supportedInterfaces = [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }];
    const card = isNew
      ? sdk.AgentCard.fromJSON({ ...common, supportedInterfaces })
      : { ...common, url, preferredTransport: 'JSONRPC', protocolVersion: '0.3.0' };
    const signer = signing && sdk.generateAgentCardSignature(...signing);
    const signers = signer ? [undefined, undefined, undefined, undefined, signer] : [];
    const executor = { execute: isNew ? executing(sdk) : executingOld, cancelTask: () => Promise.resolve() };
    const requests = new own.DefaultRequestHandler(card, new own.InMemoryTaskStore(), executor, ...signers);
    server.errorOf = (error) =>
      isNew
        ? own.JsonRpcTransportHandler.mapToJSONRPCError(error)
        : (error as { toJSONRPCError(): object }).toJSONRPCError();
    server.handler = new own.JsonRpcTransportHandler(requests);
    if (isNew) {
      server.context = () => new own.ServerCallContext({ requestedVersion: '1.0' });
      const signed = signer as ((card: object) => Promise<object>) | undefined;
      server.card = async () => sdk.AgentCard.toJSON(signed ? await signed(card) : card);
    } else server.card = () => requests.getAgentCard();
    return server;
  }

  /** The names of the methods that were called. */
  get methods(): readonly string[] {
    return this.calls.map(({ method }) => method);
  }

  protected override async handle(request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
    const json = (value: object): void =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (request.method === 'GET') return json(await this.card());
    const call = JSON.parse(body.toString()) as { readonly id: unknown; readonly method: string; readonly params: Bag };
    if (/cancel/i.test(call.method))
      return json({ jsonrpc: '2.0', id: call.id, error: { code: -32002, message: 'no' } });
    this.calls.push({ method: call.method, params: call.params, headers: request.headers });
    if (this.isLossy && call.method === 'SendStreamingMessage') {
      const task = { id: 'lost', contextId: 'lost', status: { state: 'TASK_STATE_WORKING' } };
      return json({ jsonrpc: '2.0', id: call.id, result: { task } });
    }
    const answer = await this.handler?.handle(call, this.context(request.headers));
    if (!answer || !(Symbol.asyncIterator in answer)) return json(answer ?? {});
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    try {
      for await (const frame of answer as AsyncIterable<object>) response.write(`data: ${JSON.stringify(frame)}\n\n`);
    } catch (error) {
      response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: call.id, error: this.errorOf(error) })}\n\n`);
    }
    response.end();
  }
}

const MODES = {
  capabilities: { streaming: true },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'hello', name: 'hello', description: 'Says hello.', tags: ['hello'] }],
};

/** What a task is in the JSON of its version. */
function taskOf({ taskId, contextId, userMessage, task }: Turn, isNew: boolean): object {
  const asks = JSON.stringify(userMessage).includes(ASKING) && !task;
  const timestamp = new Date().toISOString();
  if (isNew) {
    const question = { role: 'ROLE_AGENT', messageId: randomUUID(), taskId, contextId, parts: [{ text: 'Sure?' }] };
    const state = asks ? 'TASK_STATE_INPUT_REQUIRED' : 'TASK_STATE_COMPLETED';
    const artifacts = asks ? [] : [{ artifactId: 'a', parts: [{ text: 'Hello.' }] }];
    return { id: taskId, contextId, status: { state, timestamp, ...(asks && { message: question }) }, artifacts };
  }
  const parts = (text: string): object[] => [{ kind: 'text', text }];
  const question = {
    kind: 'message',
    role: 'agent',
    messageId: randomUUID(),
    taskId,
    contextId,
    parts: parts('Sure?'),
  };
  return {
    kind: 'task',
    id: taskId,
    contextId,
    status: { state: asks ? 'input-required' : 'completed', timestamp, ...(asks && { message: question }) },
    artifacts: asks ? [] : [{ artifactId: 'a', parts: parts('Hello.') }],
  };
}

const executing =
  (sdk: Sdk) =>
  (turn: Turn, bus: Bus): Promise<void> => {
    const { history = [] } = (turn.task ?? {}) as { readonly history?: readonly object[] };
    const task = { ...sdk.Task.fromJSON(taskOf(turn, true)), history: [...history, turn.userMessage] };
    bus.publish({ kind: 'task', data: task });
    bus.finished();
    return Promise.resolve();
  };

function executingOld(turn: Turn, bus: Bus): Promise<void> {
  const { history = [] } = (turn.task ?? {}) as { readonly history?: readonly object[] };
  bus.publish({ ...taskOf(turn, false), history: [...history, turn.userMessage] });
  bus.finished();
  return Promise.resolve();
}
