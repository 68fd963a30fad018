import { createHash } from 'node:crypto';
import type { JsonObject } from '../../common/index.js';
import type { McpServerConfig } from './mcp-servers.js';
import type { SchemaValidator } from '../schema-validator.js';
import type { ServerTool, ToolAnnotations, ToolContext, ToolEffects } from '../tool.js';
import { ToolDescription } from './wire-schemas.js';

/** The tool that a call is for. */
export interface McpCallTarget {
  /** Its name at the server. */
  readonly name: string;
  readonly effects: ToolEffects;
}

/** Callbacks of `McpTools`. */
interface McpToolsEvents {
  /** Receives the reason why a tool is left out. */
  onOmitted(sentence: string): void;
  call(target: McpCallTarget, args: JsonObject, context: ToolContext): Promise<unknown>;
}

/** Makes server tools from the list of an MCP server. The list is not trusted. */
export class McpTools {
  constructor(
    private readonly config: McpServerConfig,
    private readonly validator: SchemaValidator,
    private readonly events: McpToolsEvents,
  ) {}

  /** The usable tools, in the order of the list. Names are unique. */
  serverTools(listed: readonly unknown[]): readonly ServerTool[] {
    const tools = new Map<string, ServerTool>();
    const seen = new Set<string>();
    for (const entry of listed) {
      const description = this.read(entry);
      if (description) seen.add(description.name);
      const tool = description && this.isAllowed(description.name) ? this.serverTool(description) : undefined;
      if (!tool) continue;
      if (tools.has(tool.name)) this.events.onOmitted(`a second tool would be named "${tool.name}" and is left out`);
      else tools.set(tool.name, tool);
    }
    const missing = (this.config.allowedTools ?? []).filter((name) => !seen.has(name));
    if (missing.length > 0) this.events.onOmitted(`it has no tools named ${missing.join(', ')}, which are allowed`);
    return [...tools.values()];
  }

  private read(entry: unknown): ToolDescription | undefined {
    const parsed = ToolDescription.safeParse(entry);
    if (!parsed.success) this.events.onOmitted('a tool without a proper name and schema is left out');
    return parsed.data;
  }

  private isAllowed(name: string): boolean {
    return this.config.allowedTools?.includes(name) ?? true;
  }

  private serverTool(tool: ToolDescription): ServerTool | undefined {
    const name = exposedName(this.config, tool.name);
    const problem = this.problemOf(tool);
    if (problem !== undefined) {
      this.events.onOmitted(`the tool "${tool.name}" is left out: ${problem}`);
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
      origin: { kind: 'mcp', serverLabel: this.config.label, toolName: tool.name },
      invoke: (args, context) => this.events.call(target, args, context),
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

/** The longest name that model providers accept. */
const NAME_LIMIT = 64;
const HASH_LENGTH = 8;

/** The longest description given to the model, in characters. */
const DESCRIPTION_LIMIT = 8192;

/**
 * The name by which the model calls a tool: the server's prefix and the tool's own name. Characters that
 * model providers refuse become `_`; a name that is too long is cut and made unique by a hash.
 */
function exposedName({ prefix }: Pick<McpServerConfig, 'prefix'>, name: string): string {
  const offered = (prefix + name).replace(/[^A-Za-z0-9_-]/g, '_');
  if (offered.length <= NAME_LIMIT) return offered;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH);
  return `${offered.slice(0, NAME_LIMIT - HASH_LENGTH - 1)}_${hash}`;
}

/** The description given to the model, without characters that databases cannot store. */
function descriptionOf({ description, title }: ToolDescription): string {
  return (description ?? title ?? '')
    .slice(0, DESCRIPTION_LIMIT)
    .replace(/\p{Surrogate}/gu, '\uFFFD')
    .replaceAll('\0', '');
}

/** The valid hints of a tool; undefined if there are none. */
function annotationsOf({ annotations = {}, title: ownTitle }: ToolDescription): ToolAnnotations | undefined {
  const title = annotations['title'] ?? ownTitle;
  const flag = (key: string): object => (typeof annotations[key] === 'boolean' ? { [key]: annotations[key] } : {});
  const known: ToolAnnotations = {
    ...(typeof title === 'string'
      ? { title: title.slice(0, DESCRIPTION_LIMIT).replace(/\p{Surrogate}/gu, '\uFFFD') }
      : {}),
    ...flag('readOnlyHint'),
    ...flag('destructiveHint'),
    ...flag('idempotentHint'),
    ...flag('openWorldHint'),
  };
  return Object.keys(known).length > 0 ? known : undefined;
}

/** The effects according to the hints. Without hints the tool counts as unsafe. */
function effectsOf(annotations: ToolAnnotations | undefined): ToolEffects {
  if (annotations?.readOnlyHint === true) return 'none';
  return annotations?.idempotentHint === true ? 'idempotent' : 'unsafe';
}
