import type { JsonObject } from '../../../../common/index.js';
import type { RemoteRequest } from '../remote-http.js';
import type { A2aInterface, A2aVersion } from './a2a-card.js';

/** What is asked of an agent. */
export type A2aOperation = 'stream' | 'send' | 'subscribe' | 'get' | 'list' | 'cancel';

/** The names of the methods of JSON-RPC by version: 0.3 has no list. */
const METHODS: Readonly<Record<A2aVersion, Readonly<Partial<Record<A2aOperation, string>>>>> = {
  '1.0': {
    stream: 'SendStreamingMessage',
    send: 'SendMessage',
    subscribe: 'SubscribeToTask',
    get: 'GetTask',
    list: 'ListTasks',
    cancel: 'CancelTask',
  },
  '0.3': {
    stream: 'message/stream',
    send: 'message/send',
    subscribe: 'tasks/resubscribe',
    get: 'tasks/get',
    cancel: 'tasks/cancel',
  },
};

/** One call. */
export interface A2aCall {
  readonly operation: A2aOperation;
  /** The id of the call, for JSON-RPC. */
  readonly id: string;
  /** The task that it is about; of a message, `undefined`. */
  readonly taskId?: string;
  /** The message and how it is sent. */
  readonly message?: JsonObject;
  /** What is asked for, of `get` and `list`. */
  readonly query?: Readonly<Record<string, string | number>>;
  /** URIs of extensions. */
  readonly extensions?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** The headers that name extensions, by version. */
const EXTENSIONS: Readonly<Record<A2aVersion, string>> = { '1.0': 'a2a-extensions', '0.3': 'x-a2a-extensions' };

/** A call as the interface takes it. */
export function requestOf(at: A2aInterface, call: A2aCall): RemoteRequest {
  const { extensions = [] } = call;
  const headers = {
    ...call.headers,
    'a2a-version': at.version,
    ...(extensions.length > 0 && { [EXTENSIONS[at.version]]: extensions.join(', ') }),
  };
  return at.binding === 'JSONRPC' ? rpcRequest(at, call, headers) : httpRequest(at, call, headers);
}

function rpcRequest(
  { url, version, tenant }: A2aInterface,
  { operation, id, taskId, message, query }: A2aCall,
  headers: RemoteRequest['headers'],
): RemoteRequest {
  const task = taskId === undefined ? {} : { id: taskId };
  const params = { ...(tenant !== undefined && { tenant }), ...(message ?? task), ...query };
  const body = JSON.stringify({ jsonrpc: '2.0', id, method: METHODS[version][operation], params });
  return { method: 'POST', url, headers, body };
}

function httpRequest(
  { url: base, tenant }: A2aInterface,
  { operation, taskId = '', message, query }: A2aCall,
  headers: RemoteRequest['headers'],
): RemoteRequest {
  const task = `tasks/${encodeURIComponent(taskId)}`;
  const paths: Readonly<Record<A2aOperation, string>> = {
    stream: 'message:stream',
    send: 'message:send',
    subscribe: `${task}:subscribe`,
    get: task,
    list: 'tasks',
    cancel: `${task}:cancel`,
  };
  const url = new URL(base);
  const prefix = tenant === undefined ? '' : `${encodeURIComponent(tenant)}/`;
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${prefix}${paths[operation]}`;
  const method = operation === 'get' || operation === 'list' ? 'GET' : 'POST';
  for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, String(value));
  return { method, url, headers, ...(message && { body: JSON.stringify(message) }) };
}
