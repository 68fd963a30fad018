import type { McpApprovalRequestItem } from './item.types.js';

/** A call that a request allowed: the run that it starts makes it first of all. */
export interface ApprovedCall {
  /** As the wire showed it. */
  readonly request: McpApprovalRequestItem;
  readonly callId: string;
}

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
  /** Those of them that were allowed, in the order of the request's answers; empty where that is not known. */
  readonly approved: readonly ApprovedCall[];
  /** True when nothing more will come: what is open is cut. */
  readonly isOver: boolean;
}

/** Messages of whichever runs, all of them over. */
export const HISTORY_VIEW: ItemView = {
  agentLabel: '',
  clientTools: undefined,
  namedServers: new Set(),
  approvals: new Map(),
  approved: [],
  isOver: true,
};
