import { isPlainObject } from '../../../common/index.js';
import { McpError } from '../mcp.errors.js';
import type { RpcId } from '../mcp.types.js';

/** A message of JSON-RPC 2.0. */
export type RpcMessage =
  | { readonly kind: 'request'; readonly id: RpcId; readonly method: string; readonly params: unknown }
  | { readonly kind: 'notification'; readonly method: string; readonly params: unknown }
  /** The answer of a client; without a result it is an error. */
  | { readonly kind: 'response'; readonly id: RpcId; readonly result: unknown };

/** The id of what may be a request; null if it has none that can be one. */
export function rpcIdOf(body: unknown): RpcId | null {
  const id = isPlainObject(body) ? body['id'] : undefined;
  return isRpcId(id) ? id : null;
}

/** @throws McpError INVALID_REQUEST with the status 400 */
export function rpcMessageOf(body: unknown): RpcMessage {
  if (Array.isArray(body)) throw invalid('Batches are not served: send one message');
  if (!isPlainObject(body)) throw invalid('The body must be a message of JSON-RPC 2.0');
  const { jsonrpc, id, method, params } = body;
  if (jsonrpc !== '2.0') throw invalid('jsonrpc must be "2.0"');
  if (!Object.hasOwn(body, 'method')) return responseOf(body);
  if (typeof method !== 'string' || method === '' || method.length > 256) throw invalid('method must be a name');
  if (params !== undefined && !isPlainObject(params)) throw invalid('params must be an object');
  if (!Object.hasOwn(body, 'id')) return { kind: 'notification', method, params };
  if (!isRpcId(id)) throw invalid('id must be a string or a whole number');
  return { kind: 'request', id, method, params };
}

function responseOf(body: Readonly<Record<string, unknown>>): RpcMessage {
  const { id, result } = body;
  const isResponse = Object.hasOwn(body, 'result') !== Object.hasOwn(body, 'error');
  if (!isResponse || !isRpcId(id)) throw invalid('The body is no request, notification or response');
  return { kind: 'response', id, result };
}

/** @param id any JSON value */
export function isRpcId(id: unknown): id is RpcId {
  return (typeof id === 'string' && id.length <= 256) || (typeof id === 'number' && Number.isSafeInteger(id));
}

function invalid(message: string): McpError {
  return new McpError('INVALID_REQUEST', message, { status: 400 });
}
