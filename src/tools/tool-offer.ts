import type { ServerTool, ToolDeclaration, UnavailableServer } from './tool.js';

/** What a name that the model called stands for. */
export type ResolvedTool =
  | { readonly kind: 'server'; readonly tool: ServerTool }
  | { readonly kind: 'client'; readonly declaration: ToolDeclaration }
  | { readonly kind: 'unknown' };

/** The tools that one run offers to the model, as they stood when it began: every name once. */
export class ToolOffer {
  /** What the model is told: server tools first, then client tools, each in its source's order. */
  readonly declarations: readonly ToolDeclaration[];
  /** Those of `declarations` that the server runs itself. */
  readonly serverTools: readonly ServerTool[];
  private readonly byName: ReadonlyMap<string, ResolvedTool>;

  /** @param onCollision told the name of each client tool that a server tool hides */
  constructor(
    serverTools: readonly ServerTool[],
    clientTools: readonly ToolDeclaration[],
    onCollision: (name: string) => void = () => undefined,
    /** Servers that cannot offer their tools to this run. */
    readonly unavailable: readonly UnavailableServer[] = [],
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
