import { Injectable, Logger } from '@nestjs/common';
import { AgentRegistry } from '../../agent/index.js';
import {
  Clock,
  IdFactory,
  isPlainObject,
  type Principal,
  type Reach,
  tenantReach,
  userReach,
} from '../../common/index.js';
import { McpSettings } from '../../agent/tools/index.js';
import { type Caller, namedUser } from '../../access/index.js';
import { bodyUserOf, idOfKey, OpenAiError } from '../openai/index.js';
import { fieldError } from '../http/index.js';
import { type Submission, submissionOf } from '../wire/index.js';
import { ContentCipher } from './content-cipher.js';
import { PLUGIN_LABEL } from './items/tool-data.js';
import { bodyFields, type CreateRequest, decodeCreateRequest } from './responses-request.decoder.js';
import type { ItemSources } from './request/input-item.decoder.js';
import type { McpToolRequest } from './request/tool.decoder.js';

const SESSION_PREFIX = 'conv_';

/** A decoded request for a response, and for whom it acts. */
export interface ResponsesSubmission extends Submission {
  readonly request: CreateRequest;
  readonly caller: Caller;
  readonly idempotencyKey: string | undefined;
}

/** Decodes requests, with what that needs of the server: ids, time, agents, keys, settings. */
@Injectable()
export class ResponseRequests {
  private readonly logger = new Logger(ResponseRequests.name);

  constructor(
    private readonly ids: IdFactory,
    private readonly clock: Clock,
    private readonly agents: AgentRegistry,
    private readonly mcp: McpSettings,
    private readonly cipher: ContentCipher,
  ) {}

  /**
   * Decodes the body of a request for a response.
   *
   * @throws AppError as `decodeCreateRequest`; INVALID_PARAMETER for an MCP server that is not configured
   */
  decode(body: unknown, caller: Caller): CreateRequest {
    const user = bodyUserOf(caller, isPlainObject(body) ? body['user'] : undefined);
    const items = this.itemSources(caller, user);
    const decoded = decodeCreateRequest(body, { items, defaultModel: this.agents.defaultName });
    const request = caller.identity === undefined ? decoded : { ...decoded, user };
    for (const tool of request.mcpTools) this.checkServer(tool);
    if (request.skippedTools.length > 0) {
      this.logger.debug(`Skipped tools of the types ${[...new Set(request.skippedTools)].join(', ')}`);
    }
    return request;
  }

  /** `decode` of a request to compact. @throws AppError MISSING_PARAMETER (model); as `decode` */
  compaction(body: unknown, caller: Caller): CreateRequest {
    if (bodyFields(body).string('model') === undefined) throw fieldError('model', 'is required', 'MISSING_PARAMETER');
    return this.decode(body, caller);
  }

  /**
   * A request for a response that becomes a run, and for whom it acts.
   *
   * @param idempotencyKey identifies the request: repeated with equal content it gets the same response
   * @throws AppError as `decode` and `submissionOf`
   */
  submission(body: unknown, caller: Caller, idempotencyKey?: string): ResponsesSubmission {
    const request = this.decode(body, caller);
    const { principal, reach, requester, traceparent } = submissionOf(caller, {
      named: namedUser('user', request.user),
    });
    return {
      principal,
      reach,
      requester,
      ...(traceparent !== undefined && { traceparent }),
      request,
      caller,
      idempotencyKey,
    };
  }

  /** What the decoder of items needs of the server. @param user the user that the request names */
  itemSources(caller: Caller, user?: string): ItemSources {
    return {
      nextId: () => this.ids.next('msg_'),
      decrypt: (content) => this.cipher.decrypt(content, contentOwner(caller, user)),
    };
  }

  /** Encrypts text that the client stores for the server. @param user the user that the request names */
  encrypt(text: string, caller: Caller, user?: string): string {
    return this.cipher.encrypt(text, contentOwner(caller, user));
  }

  /** A model that is an agent the caller may run selects it; any other name is only repeated in the response. */
  agentType(model: string, { authority }: Caller): string {
    return this.agents.isKnownTo(authority, model) ? model : this.agents.defaultName;
  }

  /**
   * The id of a new response. It is derived from the idempotency key, so that a repeated request is recognized; and
   * from the owner, so that nobody can predict another's. Without authentication an owner is anybody's claim.
   */
  responseId(idempotencyKey: string | undefined, caller: Caller, principal: Principal): string {
    if (idempotencyKey === undefined) return this.ids.next('resp_');
    return `resp_${idOfKey('responses', idempotencyKey, caller, principal)}`;
  }

  /**
   * The id of a session for one request. Without authentication it names the owner of the run, so that requests with one
   * key, at the same time at two instances, must have the same.
   */
  sessionId(idempotencyKey: string | undefined, caller: Caller, principal: Principal): string {
    if (idempotencyKey === undefined) return this.ids.next(SESSION_PREFIX);
    return SESSION_PREFIX + idOfKey('responses session', idempotencyKey, caller, principal);
  }

  /** A new id. @param prefix such as `conv_` */
  newId(prefix: string): string {
    return this.ids.next(prefix);
  }

  /** Whole seconds since the epoch. */
  seconds(): number {
    return Math.floor(this.clock.now() / 1000);
  }

  /** A client's address could lead anywhere: the server connects to configured servers only. */
  private checkServer({ path, serverLabel }: McpToolRequest): void {
    const known = [PLUGIN_LABEL, ...this.mcp.servers.map(({ label }) => label)];
    if (known.includes(serverLabel)) return;
    const message = `${path}: this server only connects to configured MCP servers: ${known.join(', ')}`;
    throw new OpenAiError('INVALID_PARAMETER', message, path);
  }
}

/** Who may return encrypted content: the user of a credential; without authentication anybody of the tenant. */
function contentOwner(caller: Caller, user: string | undefined): Reach {
  return caller.identity === undefined
    ? tenantReach(caller.tenantId)
    : userReach(caller.actingFor(namedUser('user', user)));
}
