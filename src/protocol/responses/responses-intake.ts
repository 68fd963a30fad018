import { Injectable, Logger } from '@nestjs/common';
import { AgentRegistry } from '../../agent/index.js';
import { Clock, fingerprint, IdFactory } from '../../common/index.js';
import { McpSettings } from '../../tools/index.js';
import { ContentSeal } from './content-seal.js';
import { decodeCreateRequest, type CreateRequest } from './request/create-request.decoder.js';
import type { ItemSources } from './request/input-item.decoder.js';
import type { McpToolRequest } from './request/tool.decoder.js';
import { PLUGIN_LABEL } from './items/tool-data.js';
import { ResponsesRefusal } from './responses-refusal.js';

/** Decodes requests, with what that needs of the server: ids, time, agents, configuration. */
@Injectable()
export class ResponsesIntake {
  private readonly logger = new Logger(ResponsesIntake.name);

  constructor(
    private readonly ids: IdFactory,
    private readonly clock: Clock,
    private readonly agents: AgentRegistry,
    private readonly mcp: McpSettings,
    private readonly contentSeal: ContentSeal,
  ) {}

  /** What the decoder of items needs of the server. */
  readonly items: ItemSources = {
    nextId: () => this.ids.next('msg_'),
    unseal: (content) => this.contentSeal.open(content),
  };

  /** What a client keeps for the server: no one else reads or changes it. */
  seal(text: string): string {
    return this.contentSeal.seal(text);
  }

  /** @throws AppError as `decodeCreateRequest`; for an MCP server that the configuration does not have */
  decode(body: unknown): CreateRequest {
    const request = decodeCreateRequest(body, { items: this.items, defaultModel: this.agents.defaultName });
    for (const tool of request.mcpTools) this.checkServer(tool);
    if (request.skippedTools.length > 0) {
      this.logger.debug(`Left out tools of the kinds ${[...new Set(request.skippedTools)].join(', ')}`);
    }
    return request;
  }

  /** A model that is an agent type selects it; any other name is only repeated. */
  agentType(model: string): string {
    return this.agents.isPublic(model) ? model : this.agents.defaultName;
  }

  /** The id of a new response: derived when the client names its request, so that a repeated one is recognised. */
  responseId(idempotencyKey?: string): string {
    if (idempotencyKey === undefined) return this.ids.next('resp_');
    return `resp_${fingerprint(['responses', idempotencyKey]).slice(0, 32)}`;
  }

  newId(prefix: string): string {
    return this.ids.next(prefix);
  }

  /** Whole seconds since the epoch. */
  seconds(): number {
    return Math.floor(this.clock.now() / 1000);
  }

  /** The server connects only to what it is configured with: an address of a client could lead anywhere. */
  private checkServer({ path, serverLabel }: McpToolRequest): void {
    const known = [PLUGIN_LABEL, ...this.mcp.servers.map(({ label }) => label)];
    if (known.includes(serverLabel)) return;
    const message = `${path}: this server only connects to configured MCP servers: ${known.join(', ')}`;
    throw new ResponsesRefusal('INVALID_PARAMETER', message, path);
  }
}
