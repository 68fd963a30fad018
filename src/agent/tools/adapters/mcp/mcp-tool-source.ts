import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { SchemaValidator } from '../../schema-validator.js';
import { type ToolServerState, ToolSource, type UnavailableServer } from '../../ports/tool-source.js';
import type { ServerTool } from '../../tool.js';
import { McpSettings } from '../../mcp/mcp.settings.js';
import { McpServer } from './mcp-server.js';

/**
 * The tools of the configured MCP servers, in the order of the configuration. Required servers are
 * connected at start-up, all others when tools are first listed. While a server is down, only its tools
 * are missing; a required server that is down also makes this server not ready. A process that executes no runs
 * connects to none.
 */
@Injectable()
export class McpToolSource extends ToolSource implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly name = 'mcp';
  override readonly isAtWorkersOnly: boolean;
  private readonly configured: readonly McpServer[];

  constructor(settings: McpSettings, validator: SchemaValidator) {
    super();
    this.isAtWorkersOnly = !settings.isConnecting && settings.servers.length > 0;
    const servers = settings.isConnecting ? settings.servers : [];
    this.configured = servers.map((server) => new McpServer(server, settings, validator));
  }

  async list(): Promise<readonly ServerTool[]> {
    const lists = await Promise.all(this.configured.map((server) => server.list()));
    return lists.flat();
  }

  override unavailable(): readonly UnavailableServer[] {
    return this.configured.flatMap((server) => server.unavailable() ?? []);
  }

  override servers(): readonly ToolServerState[] {
    return this.configured.map((server) => server.state());
  }

  /** Starts connecting the required servers. */
  onApplicationBootstrap(): void {
    for (const server of this.configured) if (server.state().required) void server.list();
  }

  /** Ends all sessions and processes. Called after the runs have stopped. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.configured.map((server) => server.close()));
  }
}
