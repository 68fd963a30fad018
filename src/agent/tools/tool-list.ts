import { matchesGlob } from '../../common/index.js';
import { serverLabelOf } from './policy/policy-condition.js';
import type { ServerTool } from './tool.js';

/**
 * Names and globs of tools of the server. One with a slash is matched against the label of the tool's server, `local` for
 * this one, and the name that the tool has there: `files/read_*`.
 */
export type ToolList = readonly string[];

/** The tools that are in each of the lists. */
export function listedTools(tools: readonly ServerTool[], lists: readonly ToolList[]): readonly ServerTool[] {
  return lists.length === 0 ? tools : tools.filter((tool) => lists.every((list) => isListed(tool, list)));
}

/** Whether a tool is in a list. */
export function isListed(tool: Pick<ServerTool, 'name' | 'origin'>, list: ToolList): boolean {
  return list.some((pattern) => matches(pattern, tool));
}

/** Whether a tool of this name may be in a list. Where its server is named, only the end of the name can tell. */
export function mayList(name: string, list: ToolList): boolean {
  return list.some((pattern) => matchesGlob(pattern.replace(/^.*\//, '*'), name));
}

/** The patterns of a list that match no tool. */
export function unmatched(tools: readonly ServerTool[], list: ToolList): ToolList {
  return list.filter((pattern) => !tools.some((tool) => matches(pattern, tool)));
}

/** Whether an MCP server that is away may have tools of all lists: one of its own, or one that no other server has. */
export function mayHaveToolsOf(label: string, present: readonly ServerTool[], lists: readonly ToolList[]): boolean {
  return lists.every((list) =>
    unmatched(present, list).some((pattern) => {
      const slash = pattern.indexOf('/');
      return slash < 0 || matchesGlob(pattern.slice(0, slash), label);
    }),
  );
}

/**
 * Whether the tools of an MCP server have to be known to apply the lists: not if they name other servers, or tools of the
 * sources before it, which hide its own.
 */
export function needsServer(label: string, before: readonly ServerTool[], lists: readonly ToolList[]): boolean {
  return lists.every((list) =>
    list.some((pattern) => {
      const slash = pattern.indexOf('/');
      if (slash >= 0) return matchesGlob(pattern.slice(0, slash), label);
      return /[*?]/.test(pattern) || !before.some(({ name }) => name === pattern);
    }),
  );
}

function matches(pattern: string, tool: Pick<ServerTool, 'name' | 'origin'>): boolean {
  if (!pattern.includes('/')) return matchesGlob(pattern, tool.name);
  const { origin, name } = tool;
  const own = origin.kind === 'mcp' ? (origin.toolName ?? name) : name;
  return matchesGlob(pattern, `${serverLabelOf(tool)}/${own}`);
}
