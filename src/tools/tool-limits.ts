import { serverLabelOf } from './policy/policy-condition.js';
import type { ServerTool } from './tool.js';

/** Some tools of a server: everything that is named must hold. */
export interface ToolFilter {
  readonly names?: readonly string[];
  /** Whether they only read, by the hint of their owner. What gives no hint may write. */
  readonly readOnly?: boolean;
}

/**
 * What one run takes away of a server's tools. It restricts: what the policy denies or asks for stays
 * denied and asked for.
 */
export interface ToolLimit {
  /** A server's label; `local` for this server's own tools. */
  readonly server: string;
  /** Only these are offered. */
  readonly only?: ToolFilter;
  /** Calls of these need a person's permission. */
  readonly ask?: ToolFilter;
  /** Calls of all but these need a person's permission. */
  readonly askAllBut?: ToolFilter;
}

/** The tools that are left of these, marked where a person has to be asked. */
export function limitTools(tools: readonly ServerTool[], limits: readonly ToolLimit[]): readonly ServerTool[] {
  if (limits.length === 0) return tools;
  return tools.flatMap((tool) => {
    const own = limits.filter(({ server }) => server === serverLabelOf(tool));
    if (own.some(({ only }) => only && !fits(tool, only))) return [];
    return own.some((limit) => asks(tool, limit)) ? [askingFirst(tool)] : [tool];
  });
}

function asks(tool: ServerTool, { ask, askAllBut }: ToolLimit): boolean {
  return (ask !== undefined && fits(tool, ask)) || (askAllBut !== undefined && !fits(tool, askAllBut));
}

function fits({ name, annotations }: ServerTool, { names, readOnly }: ToolFilter): boolean {
  if (names && !names.includes(name)) return false;
  return readOnly === undefined || readOnly === (annotations?.readOnlyHint === true);
}

/** The same tool, for this run only; whatever it is made of stays as it is. */
function askingFirst(tool: ServerTool): ServerTool {
  return Object.create(tool, { needsPermission: { value: true } }) as ServerTool;
}
