import { Injectable, Logger } from '@nestjs/common';
import { AgentRegistry } from '../../agent/index.js';
import { Clock, fingerprint, IdFactory } from '../../common/index.js';
import { McpSettings } from '../../tools/index.js';
import type { Caller } from '../http/index.js';
import { ContentCipher } from './content-cipher.js';
import { PLUGIN_LABEL } from './items/tool-data.js';
import { type CreateRequest, decodeCreateRequest } from './responses-request.decoder.js';
import type { ItemSources } from './request/input-item.decoder.js';
import type { McpToolRequest } from './request/tool.decoder.js';
import { ResponsesError } from './responses.errors.js';

/** Decodes requests, with what that needs of the server: ids, time, agents, keys, settings. */
@Injectable()
export class RequestService {
  private readonly logger = new Logger(RequestService.name);

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
    const items = this.itemSources(caller);
    const request = decodeCreateRequest(body, { items, defaultModel: this.agents.defaultName });
    for (const tool of request.mcpTools) this.checkServer(tool);
    if (request.skippedTools.length > 0) {
      this.logger.debug(`Skipped tools of the types ${[...new Set(request.skippedTools)].join(', ')}`);
    }
    return request;
  }

  /** What the decoder of items needs of the server. */
  itemSources({ tenantId }: Caller): ItemSources {
    return {
      nextId: () => this.ids.next('msg_'),
      decrypt: (content) => this.cipher.decrypt(content, tenantId),
    };
  }

  /** Encrypts text that the client stores for the server. */
  encrypt(text: string, { tenantId }: Caller): string {
    return this.cipher.encrypt(text, tenantId);
  }

  /** A model that is an agent type selects it; any other name is only repeated in the response. */
  agentType(model: string): string {
    return this.agents.isPublic(model) ? model : this.agents.defaultName;
  }

  /** The id of a new response; derived from the idempotency key, so that a repeated request is recognized. */
  responseId(idempotencyKey?: string): string {
    if (idempotencyKey === undefined) return this.ids.next('resp_');
    return `resp_${fingerprint(['responses', idempotencyKey]).slice(0, 32)}`;
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
    throw new ResponsesError('INVALID_PARAMETER', message, path);
  }
}
