import { Injectable, Logger } from '@nestjs/common';
import type { Caller } from '../../access/index.js';
import { AppError, isPlainObject, type JsonObject } from '../../common/index.js';
import { headerReader, type HeaderReader, retryHeaders, type StreamClient, toHttpError } from '../http/index.js';
import type { CallAnswer } from './call.service.js';
import { callerKeyOf } from './caller-key.js';
import { errorAnswer, McpError, rpcError, rpcStatus } from './mcp.errors.js';
import { INSTRUCTIONS, McpMethods } from './mcp.methods.js';
import { McpServerSettings } from './mcp-server.settings.js';
import { LEGACY_VERSIONS, type Peer, TASKS } from './mcp.types.js';
import { SERVER_INFO } from './fold/result-message.js';
import { LegacySessions } from './legacy-sessions.js';
import { claimsVersion, modernEnvelope } from './rpc/modern-headers.js';
import { type RpcMessage, rpcIdOf, rpcMessageOf } from './rpc/rpc-message.js';

const SESSION_HEADER = 'mcp-session-id';

/** What a POST is answered with; undefined for nothing. */
export type PostAnswer = CallAnswer | undefined;

/** Messages of clients, of either era (contract mcp-server, sections 1 and 2). */
@Injectable()
export class McpService {
  private readonly logger = new Logger(McpService.name);

  constructor(
    private readonly methods: McpMethods,
    private readonly sessions: LegacySessions,
    private readonly settings: McpServerSettings,
  ) {}

  /** Answers a message. Never throws what the client has to know: that is in the answer. */
  async post(body: unknown, caller: Caller, client: StreamClient): Promise<PostAnswer> {
    try {
      return await this.message(rpcMessageOf(body), caller, client);
    } catch (error) {
      return this.failed(error, body, client);
    }
  }

  private async message(message: RpcMessage, caller: Caller, client: StreamClient): Promise<PostAnswer> {
    const header = headerReader(client.request);
    if (isLegacy(message, header)) return this.legacy(message, caller, client);
    if (message.kind === 'response') {
      throw new McpError('INVALID_REQUEST', 'Answers belong into the call that has asked', { status: 400 });
    }
    if (message.kind === 'notification') return this.accepted(client);
    const { version, capabilities } = modernEnvelope(message.method, message.params, header);
    const extensions = capabilities['extensions'];
    const peer: Peer = {
      era: 'modern',
      version,
      session: undefined,
      hasForms: this.hasForms(capabilities),
      hasTasks: isPlainObject(extensions) && isPlainObject(extensions[TASKS]),
      readsStreams: readsStreams(header),
      callerKey: callerKeyOf(caller),
    };
    return this.methods.run({ request: message, peer, caller, client });
  }

  private async legacy(message: RpcMessage, caller: Caller, client: StreamClient): Promise<PostAnswer> {
    const header = headerReader(client.request);
    if (message.kind === 'request' && message.method === 'initialize') return this.initialize(message, caller, client);
    const session = await this.sessions.find(header, caller);
    if (message.kind === 'response') {
      await this.sessions.respond(message, session, caller);
      return this.accepted(client);
    }
    if (message.kind === 'notification') {
      if (message.method === 'notifications/cancelled') await this.sessions.cancel(message.params, session, caller);
      return this.accepted(client);
    }
    const peer: Peer = {
      era: 'legacy',
      version: session.version,
      session: session.id,
      hasForms: session.hasForms && readsStreams(header),
      hasTasks: false,
      readsStreams: readsStreams(header),
      callerKey: callerKeyOf(caller),
    };
    return this.methods.run({ request: message, peer, caller, client });
  }

  private initialize(
    message: Extract<RpcMessage, { kind: 'request' }>,
    caller: Caller,
    { reply }: StreamClient,
  ): JsonObject {
    const params = isPlainObject(message.params) ? message.params : {};
    const version = LEGACY_VERSIONS.find((one) => one === params['protocolVersion']) ?? LEGACY_VERSIONS[0];
    const capabilities = isPlainObject(params['capabilities']) ? params['capabilities'] : {};
    const hasForms = this.hasForms(capabilities);
    reply.header(SESSION_HEADER, this.sessions.begin({ version, hasForms, name: clientName(params) }, caller));
    const result = {
      protocolVersion: version,
      capabilities: this.methods.capabilities,
      serverInfo: SERVER_INFO,
      instructions: INSTRUCTIONS,
    };
    return { jsonrpc: '2.0', id: message.id, result };
  }

  private hasForms({ elicitation }: Readonly<Record<string, unknown>>): boolean {
    if (!this.settings.elicitation || !isPlainObject(elicitation)) return false;
    // A client that names modes and leaves out forms only opens pages.
    return Object.keys(elicitation).length === 0 || isPlainObject(elicitation['form']) || !('url' in elicitation);
  }

  private accepted({ reply }: StreamClient): undefined {
    reply.status(202);
    return undefined;
  }

  private failed(thrown: unknown, body: unknown, { request, reply }: StreamClient): JsonObject {
    const error = toHttpError(thrown);
    // What a caller may not do at all is answered where challenges are.
    if (error.status === 401 || error.status === 403) throw thrown;
    if (error.status >= 500 && error.status !== 503) {
      const stack = thrown instanceof Error ? thrown.stack : String(thrown);
      this.logger.error(`A request to /mcp failed as ${error.code} (request ${request.id})`, stack);
    }
    reply.headers(retryHeaders(error, ''));
    if (error.headers) reply.headers(error.headers);
    const isParams = thrown instanceof AppError && !(thrown instanceof McpError) && error.status === 400;
    const { message } = error;
    reply.status(isParams ? 200 : rpcStatus(error));
    const shown = isParams ? rpcError(toHttpError(new McpError('INVALID_PARAMS', message))) : rpcError(error, thrown);
    return errorAnswer(rpcIdOf(body), shown);
  }
}

/** Whether a message is of the era with sessions (contract mcp-server, section 2). */
function isLegacy(message: RpcMessage, header: HeaderReader): boolean {
  if (header(SESSION_HEADER) !== undefined) return true;
  const params = message.kind === 'response' ? undefined : message.params;
  if (claimsVersion(params)) return false;
  if (message.kind === 'request' && message.method === 'initialize') return true;
  const version = header('mcp-protocol-version')?.trim();
  return (LEGACY_VERSIONS as readonly (string | undefined)[]).includes(version);
}

function readsStreams(header: HeaderReader): boolean {
  return header('accept')?.includes('text/event-stream') === true;
}

function clientName({ clientInfo }: Readonly<Record<string, unknown>>): string {
  const name = isPlainObject(clientInfo) ? clientInfo['name'] : undefined;
  return typeof name === 'string' ? name.replace(/[^\x20-\x7e]/g, '').slice(0, 64) : '';
}
