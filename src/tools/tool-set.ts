import type { ServerTool, ToolDeclaration, UnavailableServer } from './tool.js';

/** What a tool name used by the model refers to. */
export type ResolvedTool =
  | { readonly kind: 'server'; readonly tool: ServerTool }
  | { readonly kind: 'client'; readonly declaration: ToolDeclaration }
  | { readonly kind: 'unknown' };

/** The tools of one run, as they were when it began. Names are unique. */
export class ToolSet {
  /** The declarations for the model: server tools first, then client tools, each in the order of its source. */
  readonly declarations: readonly ToolDeclaration[];
  /** Those of `declarations` that the server runs itself. */
  readonly serverTools: readonly ServerTool[];
  private readonly byName: ReadonlyMap<string, ResolvedTool>;

  /** @param onCollision receives the name of each client tool that is hidden by a server tool */
  constructor(
    serverTools: readonly ServerTool[],
    clientTools: readonly ToolDeclaration[],
    onCollision: (name: string) => void = () => undefined,
    /** MCP servers whose tools are not available to this run. */
    readonly unavailable: readonly UnavailableServer[] = [],
    /** Names of tools of the server that the run may not call. For the model they do not exist. */
    readonly withheld: ReadonlySet<string> = new Set(),
  ) {
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
    this.declarations = [...byName.values()].flatMap(declared);
  }

  resolve(name: string): ResolvedTool {
    return this.byName.get(name) ?? { kind: 'unknown' };
  }
}

function declared(resolved: ResolvedTool): ToolDeclaration[] {
  if (resolved.kind === 'client') return [resolved.declaration];
  if (resolved.kind === 'unknown') return [];
  const { name, description, parameters } = resolved.tool;
  return [{ name, description, parameters }];
}
