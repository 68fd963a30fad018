import { serverLabelOf } from './policy/policy-condition.js';
import type { ServerTool } from './tool.js';

/** Selects tools of a server. All given properties must match. */
export interface ToolFilter {
  readonly names?: readonly string[];
  /** Whether the tool is read-only according to its `readOnlyHint`. Without the hint it is not. */
  readonly readOnly?: boolean;
}

/**
 * Restricts the tools of one server in one run. It never widens the policy: denied calls stay denied, and
 * calls that require an approval still do.
 */
export interface ToolRestriction {
  /** The label of an MCP server; `local` for this server's own tools. */
  readonly server: string;
  /** Only these tools are available. */
  readonly only?: ToolFilter;
  /** Calls of these tools require an approval. */
  readonly ask?: ToolFilter;
  /** Calls of all other tools require an approval. */
  readonly askAllBut?: ToolFilter;
}

/** Applies restrictions: removes tools, and marks those whose calls require an approval. */
export function restrictTools(tools: readonly ServerTool[], limits: readonly ToolRestriction[]): readonly ServerTool[] {
  if (limits.length === 0) return tools;
  return tools.flatMap((tool) => {
    const own = limits.filter(({ server }) => server === serverLabelOf(tool));
    if (own.some(({ only }) => only && !fits(tool, only))) return [];
    return own.some((limit) => asks(tool, limit)) ? [requiringApproval(tool)] : [tool];
  });
}

function asks(tool: ServerTool, { ask, askAllBut }: ToolRestriction): boolean {
  return (ask !== undefined && fits(tool, ask)) || (askAllBut !== undefined && !fits(tool, askAllBut));
}

function fits({ name, annotations }: ServerTool, { names, readOnly }: ToolFilter): boolean {
  if (names && !names.includes(name)) return false;
  return readOnly === undefined || readOnly === (annotations?.readOnlyHint === true);
}

/** A view of the tool for this run; the tool itself, which other runs share, is not changed. */
function requiringApproval(tool: ServerTool): ServerTool {
  return Object.create(tool, { requiresApproval: { value: true } }) as ServerTool;
}
