import type { UnavailableServer } from './ports/tool-source.js';
import type { ServerTool, ToolDeclaration } from './tool.js';

/** What a tool name used by the model refers to. */
export type ResolvedTool =
  | { readonly kind: 'server'; readonly tool: ServerTool }
  | { readonly kind: 'client'; readonly declaration: ToolDeclaration }
  | { readonly kind: 'unknown' };

/** The most tools that model servers take in one request (contract model-servers, section 1.3). */
export const MOST_TOOLS = 128;

/** What else is known of the tools of a run. */
interface ToolSetFacts {
  readonly unavailable?: readonly UnavailableServer[];
  readonly withheld?: ReadonlySet<string>;
  /** The name of a tool that must be among the declarations. */
  readonly wanted?: string | undefined;
}

/** The tools of one run, as they were when it began. Names are unique. */
export class ToolSet {
  /**
   * The declarations for the model: server tools first, then client tools, each in the order of its source. Of more
   * than 128 tools, those of this server come first, then those of the client, then those of MCP servers.
   */
  readonly declarations: readonly ToolDeclaration[];
  /** The names of the tools that are too many. They can be called, but they are not declared to the model. */
  readonly leftOut: readonly string[];
  /** MCP servers whose tools are not available to this run. */
  readonly unavailable: readonly UnavailableServer[];
  /** Names of tools of the server that the run may not call. For the model they do not exist. */
  readonly withheld: ReadonlySet<string>;
  /** The tools that the server runs itself. */
  readonly serverTools: readonly ServerTool[];
  private readonly byName: ReadonlyMap<string, ResolvedTool>;

  /** @param onCollision receives the name of each client tool that is hidden by a server tool */
  constructor(
    serverTools: readonly ServerTool[],
    clientTools: readonly ToolDeclaration[],
    onCollision: (name: string) => void = () => undefined,
    { unavailable = [], withheld = new Set(), wanted }: ToolSetFacts = {},
  ) {
    this.unavailable = unavailable;
    this.withheld = withheld;
    const byName = new Map<string, ResolvedTool>();
    for (const tool of serverTools) byName.set(tool.name, { kind: 'server', tool });
    for (const declaration of clientTools) {
      const present = byName.get(declaration.name);
      const replaces = present?.kind === 'server' && declaration.overrides === true;
      if (present && !replaces) onCollision(declaration.name);
      else byName.set(declaration.name, { kind: 'client', declaration });
    }
    this.byName = byName;
    this.serverTools = serverTools.filter(({ name }) => byName.get(name)?.kind === 'server');
    const all = [...byName.entries()];
    const offered = all.length <= MOST_TOOLS ? all : mostImportant(all, wanted);
    this.declarations = offered.flatMap(([, resolved]) => declared(resolved));
    this.leftOut = all.filter((one) => !offered.includes(one)).map(([name]) => name);
  }

  resolve(name: string): ResolvedTool {
    return this.byName.get(name) ?? { kind: 'unknown' };
  }
}

/** As many as can be offered, in their order. */
function mostImportant(
  all: readonly (readonly [string, ResolvedTool])[],
  wanted: string | undefined,
): readonly (readonly [string, ResolvedTool])[] {
  const rank = ([name, resolved]: readonly [string, ResolvedTool]): number => {
    if (name === wanted) return 0;
    if (resolved.kind === 'client') return 2;
    return resolved.kind === 'server' && resolved.tool.origin.kind === 'mcp' ? 3 : 1;
  };
  const chosen = new Set([...all].sort((one, other) => rank(one) - rank(other)).slice(0, MOST_TOOLS));
  return all.filter((one) => chosen.has(one));
}

function declared(resolved: ResolvedTool): ToolDeclaration[] {
  if (resolved.kind === 'client') return [resolved.declaration];
  if (resolved.kind === 'unknown') return [];
  const { name, description, parameters } = resolved.tool;
  return [{ name, description, parameters }];
}
