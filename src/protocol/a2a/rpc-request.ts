import { isPlainObject } from '../../common/index.js';
import { A2aError } from './a2a.errors.js';

/** A request of JSON-RPC 2.0. */
export interface RpcRequest {
  readonly id: string | number | null;
  readonly method: string;
  readonly params: unknown;
}

/** The id of what may be a request: null if it has none that can be one. */
export function rpcIdOf(body: unknown): string | number | null {
  const id = isPlainObject(body) ? body['id'] : null;
  return typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id)) ? id : null;
}

/** @throws A2aError INVALID_REQUEST, METHOD_NOT_FOUND (contract a2a, section 1.3) */
export function rpcRequestOf(body: unknown): RpcRequest {
  if (Array.isArray(body)) throw new A2aError('INVALID_REQUEST', 'Batches are not served');
  if (!isPlainObject(body)) throw new A2aError('INVALID_REQUEST', 'The body must be a request object of JSON-RPC 2.0');
  const { jsonrpc, id, method, params } = body;
  if (jsonrpc !== '2.0') throw new A2aError('INVALID_REQUEST', 'jsonrpc must be "2.0"');
  const isId =
    id === undefined || id === null || typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id));
  if (!isId) throw new A2aError('INVALID_REQUEST', 'id must be a string, a number or null');
  if (!Object.hasOwn(body, 'method')) throw new A2aError('INVALID_REQUEST', 'method is required');
  if (typeof method !== 'string') throw new A2aError('METHOD_NOT_FOUND', 'method must be a string');
  return { id: id ?? null, method, params };
}
