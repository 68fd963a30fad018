import type { ServerTool } from '../tool.js';

/** An MCP server whose tools are not available at the moment, with a reason that may be shown. */
export interface UnavailableServer {
  readonly serverLabel: string;
  readonly error: string;
}

/** The state of an MCP server: not used yet, connecting, connected or disconnected. */
export interface ToolServerState {
  readonly label: string;
  readonly state: 'idle' | 'connecting' | 'up' | 'down';
  /** Whether the server is not ready without it (configuration). */
  readonly required: boolean;
}

/** A source of server tools: decorated providers, or MCP servers. */
export abstract class ToolSource {
  /** The name of the source, for the log. */
  abstract readonly name: string;
  /** The tools that are available now; none while the source is down. Never throws. */
  abstract list(): Promise<readonly ServerTool[]>;

  /** True if the tools of this source are at the processes that execute runs, and not at this one. */
  readonly isAtWorkersOnly?: boolean;

  /** The MCP servers of this source whose tools were missing from the last `list()`. */
  unavailable?(): readonly UnavailableServer[];

  /** The states of the MCP servers of this source. Sends no request. */
  servers?(): readonly ToolServerState[];
}
