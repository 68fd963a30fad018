import type { McpApprovalRequestItem } from './item.types.js';

/** What is known of a run beside its messages, and needed to show them as items. */
export interface ItemView {
  /** The label of calls that the agent made and answered by itself. */
  readonly agentLabel: string;
  /** The tools that the client runs; undefined when the request is not known to this wire. */
  readonly clientTools: ReadonlySet<string> | undefined;
  /** The MCP servers that the request names: only their lists of tools are shown. */
  readonly namedServers: ReadonlySet<string>;
  /** The approval requests that this run answers, by id: their calls were shown in an earlier run. */
  readonly approvals: ReadonlyMap<string, McpApprovalRequestItem>;
  /** True when nothing more will come: what is open is cut. */
  readonly isOver: boolean;
}

/** Messages of whichever runs, all of them over. */
export const HISTORY_VIEW: ItemView = {
  agentLabel: '',
  clientTools: undefined,
  namedServers: new Set(),
  approvals: new Map(),
  isOver: true,
};
