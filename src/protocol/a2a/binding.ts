import { Injectable, Logger } from '@nestjs/common';
import { type Observable, of } from 'rxjs';
import type { Caller } from '../../access/index.js';
import { isPlainObject } from '../../common/index.js';
import { ActiveStreams, retryHeaders, type StreamClient, toHttpError } from '../http/index.js';
import { A2aError, metadataOf, type WireError, wireError } from './a2a.errors.js';
import { A2aSettings } from './a2a.settings.js';
import type { Version } from './a2a.types.js';
import { lateAnswer } from './late-answer.js';
import { announce, contextOf, restVersion, rpcVersion } from './request-context.js';
import { RpcMethods } from './rpc.methods.js';

/** What a route answers with: JSON, JSON that comes late, or the frames of a stream. */
export type Answer = object | Observable<readonly string[]>;

const RPC_TYPE = 'application/json';
const REST_TYPE = 'application/a2a+json';

/** Calls methods for the two bindings, and writes what they return or throw (contract a2a, sections 1 and 11). */
@Injectable()
export class Binding {
  private readonly logger = new Logger(Binding.name);

  constructor(
    private readonly methods: RpcMethods,
    private readonly settings: A2aSettings,
    private readonly active: ActiveStreams,
  ) {}

  /** A request of the JSON-RPC binding. Never throws what the client has to know: that is in the answer. */
  async rpc(body: unknown, caller: Caller, client: StreamClient): Promise<Answer> {
    const id = rpcIdOf(body);
    let version: Version = '1.0';
    let isStream = false;
    const failed = (error: unknown): WireError => this.failed(error, version, client);
    try {
      const request = rpcRequestOf(body);
      const context = contextOf(client);
      version = rpcVersion(context.named, request.method, this.settings);
      announce(client, version, context.extensions);
      const method = this.methods.find(version, request.method);
      isStream = method.kind === 'stream';
      const call = { params: request.params, context, caller, client, rpcId: id };
      if (method.kind === 'stream') return await method.call(call);
      const work = method.call(call).then((result) => ({ jsonrpc: '2.0', id, result }));
      if (method.kind === 'result') return await work;
      const everyMs = this.settings.keepAliveMs;
      const late = (error: unknown): object => ({ jsonrpc: '2.0', id, error: failed(error).rpc });
      return await lateAnswer(this.active, work, { everyMs, type: RPC_TYPE, failed: late });
    } catch (error) {
      const { rpc, rpcStatus } = failed(error);
      const answer = { jsonrpc: '2.0', id, error: rpc };
      client.reply.status(rpcStatus);
      // Clients of 0.3 understand the error of a stream only within one.
      if (isStream && version === '0.3' && rpcStatus === 200) return of([`data: ${JSON.stringify(answer)}\n\n`]);
      return answer;
    }
  }

  /** A request of the REST binding, as the method of 1.0 that it stands for. @param params those of the method */
  async rest(name: string, params: unknown, caller: Caller, client: StreamClient): Promise<Answer> {
    const failed = (error: unknown): WireError => this.failed(error, '1.0', client);
    const { request, reply } = client;
    const type = request.headers.accept?.includes(REST_TYPE) === true ? REST_TYPE : RPC_TYPE;
    try {
      const context = contextOf(client);
      announce(client, restVersion(context.named, this.settings), context.extensions);
      const method = this.methods.find('1.0', name);
      const call = { params, context, caller, client, rpcId: undefined };
      if (method.kind === 'stream') return await method.call(call);
      const work = method.call(call).then((result) => result ?? {});
      reply.type(`${type}; charset=utf-8`);
      if (method.kind === 'result') return (await work) as object;
      const everyMs = this.settings.keepAliveMs;
      return await lateAnswer(this.active, work as Promise<object>, {
        everyMs,
        type,
        failed: (error) => failed(error).rest,
      });
    } catch (error) {
      const { rest, status } = failed(error);
      reply.type(`${type}; charset=utf-8`).status(status);
      return rest;
    }
  }

  private failed(thrown: unknown, version: Version, { request, reply }: StreamClient): WireError {
    const error = toHttpError(thrown);
    if (error.status >= 500 && error.status !== 503) {
      const stack = thrown instanceof Error ? thrown.stack : String(thrown);
      this.logger.error(
        `A request to ${request.routeOptions.url ?? 'A2A'} failed as ${error.code} (request ${request.id})`,
        stack,
      );
    }
    if (!reply.raw.headersSent) {
      reply.headers(retryHeaders(error, ''));
      if (error.headers) reply.headers(error.headers);
      if (!reply.hasHeader('a2a-version')) reply.header('a2a-version', version);
    }
    return wireError(error, version, metadataOf(thrown));
  }
}

/** A request of JSON-RPC 2.0. */
interface RpcRequest {
  readonly id: string | number | null;
  readonly method: string;
  readonly params: unknown;
}

/** The id of what may be a request: null if it has none that can be one. */
function rpcIdOf(body: unknown): string | number | null {
  const id = isPlainObject(body) ? body['id'] : null;
  return typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id)) ? id : null;
}

/** @throws A2aError INVALID_REQUEST, METHOD_NOT_FOUND (contract a2a, section 1.3) */
function rpcRequestOf(body: unknown): RpcRequest {
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
