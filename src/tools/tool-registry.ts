import { Logger } from '@nestjs/common';
import { limitTools, type ToolLimit } from './tool-limits.js';
import { ToolOffer } from './tool-offer.js';
import type { ServerTool, ToolDeclaration, ToolServerState, ToolSource } from './tool.js';

/**
 * All server tools, over all sources. When two sources have a tool of the same name, the source that
 * comes first in the fixed order wins; server tools win over a client's. Collisions are logged, each
 * once, and are never an error.
 */
export class ToolRegistry {
  private readonly logger = new Logger(ToolRegistry.name);
  private readonly reported = new Set<string>();

  /** @param sources in the order in which they win */
  constructor(private readonly sources: readonly ToolSource[]) {}

  /** The server tools on offer now, every name once. */
  async list(): Promise<readonly ServerTool[]> {
    const lists = await Promise.all(this.sources.map((source) => source.list()));
    const winners = new Map<string, { tool: ServerTool; source: string }>();
    lists.forEach((tools, position) => {
      const source = this.sources[position]?.name ?? '';
      for (const tool of tools) {
        const winner = winners.get(tool.name);
        if (winner) this.report(`Tool "${tool.name}" of ${source} is hidden by the one of ${winner.source}`);
        else winners.set(tool.name, { tool, source });
      }
    });
    return [...winners.values()].map(({ tool }) => tool);
  }

  /** The server tool of that name, or undefined. */
  async find(name: string): Promise<ServerTool | undefined> {
    return (await this.list()).find((tool) => tool.name === name);
  }

  /** The tools of one run: the server's within its limits, and those its client declared. */
  async offer(clientTools: readonly ToolDeclaration[], limits: readonly ToolLimit[] = []): Promise<ToolOffer> {
    const serverTools = await this.list();
    return new ToolOffer(
      limitTools(serverTools, limits),
      clientTools,
      (name) => this.report(`Client tool "${name}" is hidden by the server tool of that name`),
      this.sources.flatMap((source) => source.unavailable?.() ?? []),
    );
  }

  /** How the servers behind all sources stand, in the order of the configuration. */
  servers(): readonly ToolServerState[] {
    return this.sources.flatMap((source) => source.servers?.() ?? []);
  }

  private report(sentence: string): void {
    if (this.reported.has(sentence) || this.reported.size > 1000) return;
    this.reported.add(sentence);
    this.logger.warn(sentence);
  }
}
