import type { JsonObject } from '../../common/index.js';
import type { McpServerConfig } from '../../config/index.js';
import type { SchemaValidator } from '../schema-validator.js';
import type { ServerTool, ToolContext, ToolEffects } from '../tool.js';
import { annotationsOf, descriptionOf, effectsOf, offeredName } from './tool-mapping.js';
import { ToolDescription } from './wire-schemas.js';

/** A tool of a server as a call needs it. */
export interface McpCallTarget {
  /** The server's own name of it. */
  readonly name: string;
  readonly effects: ToolEffects;
}

/** What the tools of a server need of it. */
export interface ToolsOwner {
  /** Told why a tool is not on offer. */
  leftOut(sentence: string): void;
  call(target: McpCallTarget, args: JsonObject, context: ToolContext): Promise<unknown>;
}

/** Makes server tools of what an MCP server lists. Nothing of a list is trusted. */
export class McpTools {
  constructor(
    private readonly config: McpServerConfig,
    private readonly validator: SchemaValidator,
    private readonly owner: ToolsOwner,
  ) {}

  /** The tools that can be offered, in the order of the list, every name once. */
  serverTools(listed: readonly unknown[]): readonly ServerTool[] {
    const tools = new Map<string, ServerTool>();
    const seen = new Set<string>();
    for (const entry of listed) {
      const description = this.read(entry);
      if (description) seen.add(description.name);
      const tool = description && this.isAllowed(description.name) ? this.serverTool(description) : undefined;
      if (!tool) continue;
      if (tools.has(tool.name)) this.owner.leftOut(`a second tool would be named "${tool.name}" and is left out`);
      else tools.set(tool.name, tool);
    }
    const missing = (this.config.allowedTools ?? []).filter((name) => !seen.has(name));
    if (missing.length > 0) this.owner.leftOut(`it has no tools named ${missing.join(', ')}, which are allowed`);
    return [...tools.values()];
  }

  private read(entry: unknown): ToolDescription | undefined {
    const parsed = ToolDescription.safeParse(entry);
    if (!parsed.success) this.owner.leftOut('a tool without a proper name and schema is left out');
    return parsed.data;
  }

  private isAllowed(name: string): boolean {
    return this.config.allowedTools?.includes(name) ?? true;
  }

  private serverTool(tool: ToolDescription): ServerTool | undefined {
    const name = offeredName(this.config, tool.name);
    const problem = this.problemOf(tool);
    if (problem !== undefined) {
      this.owner.leftOut(`the tool "${tool.name}" is left out: ${problem}`);
      return undefined;
    }
    const annotations = annotationsOf(tool);
    const target = { name: tool.name, effects: effectsOf(annotations) };
    return {
      name,
      description: descriptionOf(tool),
      parameters: tool.inputSchema as JsonObject,
      effects: target.effects,
      ...(annotations ? { annotations } : {}),
      timeoutMs: this.config.maxTotalMs,
      origin: { kind: 'mcp', serverLabel: this.config.label },
      invoke: (args, context) => this.owner.call(target, args, context),
    };
  }

  private problemOf({ name, inputSchema, execution }: ToolDescription): string | undefined {
    if (execution?.taskSupport === 'required') return 'it can only be called as a task';
    try {
      this.validator.checkUntrusted(name, inputSchema as JsonObject);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
}
