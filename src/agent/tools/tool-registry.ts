import { Logger } from '@nestjs/common';
import { type Authority, mayUseTool } from '../../common/index.js';
import { listedTools, mayHaveToolsOf, needsServer, type ToolList, unmatched } from './tool-list.js';
import { restrictTools, type ToolRestriction } from './tool-restriction.js';
import { ToolSet } from './tool-set.js';
import type { ToolServerState, ToolSource } from './ports/tool-source.js';
import type { ServerTool, ToolDeclaration } from './tool.js';

/** Which of the server's tools a run has. */
export interface ToolLimits {
  /** What the run may do; null without authentication. */
  readonly authority: Authority | null;
  /** Those of the request. */
  readonly restrictions?: readonly ToolRestriction[] | undefined;
  /** Those of its agent: a tool must be in each of these lists of names and globs. */
  readonly lists?: readonly ToolList[] | undefined;
}

/**
 * All server tools from all sources. If two sources have a tool of the same name, the source that comes
 * first in the fixed order wins; server tools win over client tools. Each collision is logged once and is
 * never an error.
 */
export class ToolRegistry {
  private readonly logger = new Logger(ToolRegistry.name);
  private readonly reported = new Set<string>();

  /** @param sources in order of precedence */
  constructor(private readonly sources: readonly ToolSource[]) {}

  /** Whether the processes that execute runs have tools that this one does not. */
  get hasToolsAtWorkersOnly(): boolean {
    return this.sources.some(({ isAtWorkersOnly }) => isAtWorkersOnly === true);
  }

  /**
   * The server tools that are available now. Names are unique.
   *
   * @param lists of an agent: MCP servers are not waited for if they can have nothing of them
   */
  async list(lists: readonly ToolList[] = []): Promise<readonly ServerTool[]> {
    const winners = new Map<string, { tool: ServerTool; source: string }>();
    const present: ServerTool[] = [];
    for (const source of this.sources) {
      const servers = source.servers?.() ?? [];
      if (servers.length > 0 && !servers.some(({ label }) => needsServer(label, present, lists))) continue;
      for (const tool of await source.list()) {
        const winner = winners.get(tool.name);
        if (winner) this.report(`Tool "${tool.name}" of ${source.name} is hidden by the one of ${winner.source}`);
        else {
          winners.set(tool.name, { tool, source: source.name });
          present.push(tool);
        }
      }
    }
    return present;
  }

  /** The server tool with a name, or undefined. */
  async find(name: string): Promise<ServerTool | undefined> {
    return (await this.list()).find((tool) => tool.name === name);
  }

  /**
   * The tools of one run: server tools within its limits, and the tools that its client declared.
   *
   * @param wanted the name of a tool that the request chooses
   */
  async toolSet(
    clientTools: readonly ToolDeclaration[],
    { authority, restrictions = [], lists = [] }: ToolLimits,
    wanted?: string,
  ): Promise<ToolSet> {
    const existing = await this.list(lists);
    const all = listedTools(existing, lists);
    const unavailable = this.sources.flatMap((source) => source.unavailable?.() ?? []);
    if (unavailable.length === 0) this.reportUnmatched(existing, lists);
    const withheld = authority ? all.filter(({ name }) => !mayUseTool(authority, name)) : [];
    const toolSet = new ToolSet(
      restrictTools(withheld.length === 0 ? all : all.filter((tool) => !withheld.includes(tool)), restrictions),
      clientTools,
      (name) => this.report(`Client tool "${name}" is hidden by the server tool of that name`),
      {
        unavailable: unavailable.filter(({ serverLabel }) => mayHaveToolsOf(serverLabel, existing, lists)),
        withheld: new Set(withheld.map(({ name }) => name)),
        wanted,
      },
    );
    const { leftOut, declarations } = toolSet;
    if (leftOut.length > 0) {
      this.report(`Model servers take ${declarations.length} tools; these are left out: ${leftOut.join(', ')}`);
    }
    return toolSet;
  }

  /** The states of the MCP servers of all sources, in the order of the configuration. */
  servers(): readonly ToolServerState[] {
    return this.sources.flatMap((source) => source.servers?.() ?? []);
  }

  private reportUnmatched(tools: readonly ServerTool[], lists: readonly ToolList[]): void {
    for (const pattern of lists.flatMap((list) => unmatched(tools, list))) {
      this.report(`An agent lists the tool "${pattern}", but this server has none of that name`);
    }
  }

  private report(sentence: string): void {
    if (this.reported.has(sentence) || this.reported.size > 1000) return;
    this.reported.add(sentence);
    this.logger.warn(sentence);
  }
}
