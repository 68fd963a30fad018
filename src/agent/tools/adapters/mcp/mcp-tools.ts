import type { JsonObject } from '../../../../common/index.js';
import type { McpServerConfig } from '../../mcp/mcp-servers.js';
import { repairedSchema } from '../../schema-repair.js';
import type { SchemaValidator } from '../../schema-validator.js';
import type { ServerTool, ToolAnnotations, ToolContext, ToolEffects } from '../../tool.js';
import { validNames } from '../../valid-name.js';
import { ToolDescription } from './wire-schemas.js';

/** The tool that a call is for. */
export interface McpCallTarget {
  /** Its name at the server. */
  readonly name: string;
  readonly effects: ToolEffects;
}

/** Callbacks of `McpTools`. */
interface McpToolsEvents {
  /** Receives why a tool is left out, or what of it is not as the server describes it. */
  onProblem(sentence: string): void;
  call(target: McpCallTarget, context: ToolContext): Promise<unknown>;
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
    const described = new Map<string, ToolDescription>();
    for (const entry of listed) {
      const tool = this.read(entry);
      if (tool && described.has(tool.name)) this.events.onProblem(`a second tool "${tool.name}" is left out`);
      else if (tool) described.set(tool.name, tool);
    }
    const { prefix, allowedTools = [] } = this.config;
    const offered = [...described.values()].filter((tool) => this.isOffered(tool));
    const missing = allowedTools.filter((name) => !described.has(name));
    if (missing.length > 0) this.events.onProblem(`it has no tools named ${missing.join(', ')}, which are allowed`);
    const names = validNames(
      offered.map(({ name }) => prefix + name),
      undefined,
      (name) => name.slice(prefix.length),
    );
    return offered.map((tool) => this.serverTool(names.get(prefix + tool.name) ?? tool.name, tool));
  }

  private read(entry: unknown): ToolDescription | undefined {
    const parsed = ToolDescription.safeParse(entry);
    if (!parsed.success) this.events.onProblem('a tool without a proper name is left out');
    return parsed.data;
  }

  private isOffered({ name, execution }: ToolDescription): boolean {
    if (this.config.allowedTools?.includes(name) === false) return false;
    if (execution?.taskSupport !== 'required') return true;
    this.events.onProblem(`the tool "${name}" is left out: it can only be called as a task`);
    return false;
  }

  private serverTool(name: string, tool: ToolDescription): ServerTool {
    const annotations = annotationsOf(tool);
    const target = { name: tool.name, effects: effectsOf(annotations) };
    return {
      name,
      description: descriptionOf(tool),
      ...this.parametersOf(tool),
      effects: target.effects,
      ...(annotations && { annotations }),
      timeoutMs: this.config.maxTotalMs,
      origin: { kind: 'mcp', serverLabel: this.config.label, toolName: tool.name },
      invoke: (_args, context) => this.events.call(target, context),
    };
  }

  /** The schema as the server wrote it if it is valid, otherwise corrected, and not enforced if it still is not. */
  private parametersOf({ name, inputSchema }: ToolDescription): Pick<ServerTool, 'parameters' | 'isUnchecked'> {
    const { schema, repairs } = repairedSchema(inputSchema);
    const given = inputSchema as JsonObject;
    if (repairs.length === 0 && this.compiles(name, given)) return { parameters: given };
    const isUnchecked = !this.compiles(name, schema);
    const changed = repairs.length === 0 ? '' : `of its schema, ${repairs.join('; ')} cannot be used`;
    const open = isUnchecked ? 'its arguments are not checked' : '';
    if (changed || open) {
      this.events.onProblem(`the tool "${name}" is offered, but ${[changed, open].filter(Boolean).join(', and ')}`);
    }
    return { parameters: schema, ...(isUnchecked && { isUnchecked }) };
  }

  private compiles(name: string, parameters: JsonObject): boolean {
    try {
      this.validator.checkUntrusted(name, parameters);
      return true;
    } catch {
      return false;
    }
  }
}

/** The longest description given to the model, in characters. */
const DESCRIPTION_LIMIT = 8192;

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
    ...(typeof title === 'string' && {
      title: title.slice(0, DESCRIPTION_LIMIT).replace(/\p{Surrogate}/gu, '\uFFFD'),
    }),
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
