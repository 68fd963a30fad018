import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AppConfig } from '../../config/index.js';
import { SchemaValidator } from '../schema-validator.js';
import { type ServerTool, ToolSource, type UnavailableServer } from '../tool.js';
import { McpServer } from './mcp-server.js';

/**
 * The tools of the configured MCP servers, in the order of the configuration. Nothing is connected
 * before the first list is asked for; a server that is down costs its tools and nothing else.
 */
@Injectable()
export class McpToolSource extends ToolSource implements OnApplicationShutdown {
  readonly name = 'mcp';
  private readonly servers: readonly McpServer[];

  constructor(config: AppConfig, validator: SchemaValidator) {
    super();
    this.servers = config.mcp.servers.map((server) => new McpServer(server, config.mcp, validator));
  }

  async list(): Promise<readonly ServerTool[]> {
    const lists = await Promise.all(this.servers.map((server) => server.list()));
    return lists.flat();
  }

  override unavailable(): readonly UnavailableServer[] {
    return this.servers.flatMap((server) => server.unavailable() ?? []);
  }

  /** Comes after the runs have stopped: ends all sessions and processes. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.close()));
  }
}
