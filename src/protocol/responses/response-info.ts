import type { Json, JsonObject } from '../../common/index.js';
import type { RunView } from '../../run/index.js';
import { HISTORY_VIEW, type ItemView, type McpApprovalRequestItem } from './items/item.types.js';
import type { ResponseEcho } from './response.types.js';
import { defaultEcho } from './responses-request.decoder.js';

/** The name of this wire, in runs and in `?protocol=`. */
export const WIRE = 'responses';

/** What a response needs besides the log of its run: what it repeats of its request, and how its items are shown. */
export interface ResponseInfo {
  /** The id of the response, which is that of the run with this wire's prefix. */
  readonly id: string;
  /** When the request was accepted, in whole seconds. */
  readonly createdAt: number;
  /** What the response repeats of its request. */
  readonly echo: ResponseEcho;
  /** How the messages of the run are shown as items. */
  readonly items: Omit<ItemView, 'isOver'>;
}

/** The parts of a `ResponseInfo` that are stored as the run's wire data. */
export interface StoredInfo {
  /** Seconds since the epoch. */
  readonly createdAt: number;
  readonly echo: ResponseEcho;
  /** The names of the tools that the client runs: their calls are `function_call` items. */
  readonly clientTools: readonly string[];
  /** The approval requests that this request answered. */
  readonly approvals: readonly McpApprovalRequestItem[];
  /** The calls that the request approved; absent in runs of older versions. */
  readonly approved?: readonly { readonly requestId: string; readonly callId: string }[];
}

/** As the wire data of a run. */
export function toWireData(info: StoredInfo): JsonObject {
  return { ...info } as unknown as JsonObject;
}

/** The info of a run, whichever wire accepted it. */
export function responseInfo(
  run: Pick<RunView, 'runId' | 'agentType' | 'createdAt' | 'sessionId'> & { wire?: string; wireData?: JsonObject },
): ResponseInfo {
  const stored = run.wire === WIRE && run.wireData ? storedInfo(run.wireData) : undefined;
  const agentLabel = run.agentType;
  if (!stored) {
    const echo = { ...defaultEcho(run.agentType), conversation: { id: run.sessionId } };
    const { isOver: _isOver, ...unknown } = HISTORY_VIEW;
    const items = { ...unknown, agentLabel };
    return { id: run.runId, createdAt: Math.floor(run.createdAt / 1000), echo, items };
  }
  return storedResponseInfo(run.runId, agentLabel, stored);
}

/** The info of a run from its stored parts. */
export function storedResponseInfo(id: string, agentLabel: string, stored: StoredInfo): ResponseInfo {
  const clientTools = new Set(stored.clientTools);
  const namedServers = serversOf(stored.echo);
  const approvals = new Map(stored.approvals.map((request) => [request.id, request]));
  const approved = (stored.approved ?? []).flatMap(({ requestId, callId }) => {
    const request = approvals.get(requestId);
    return request ? [{ request, callId }] : [];
  });
  const items = { agentLabel, clientTools, namedServers, approvals, approved };
  return { id, createdAt: stored.createdAt, echo: stored.echo, items };
}

/** The labels of the MCP servers that the request named: only their tool lists are shown. */
function serversOf({ tools }: ResponseEcho): ReadonlySet<string> {
  const labels = tools.map(({ type, server_label: label }) => (type === 'mcp' ? label : undefined));
  return new Set(labels.filter((label) => typeof label === 'string'));
}

/** Undefined for a run of this wire without a request of its own: one that continues after answers from another wire. */
function storedInfo(data: JsonObject): StoredInfo | undefined {
  const echo: Json | undefined = data['echo'];
  return typeof echo === 'object' && echo !== null ? (data as unknown as StoredInfo) : undefined;
}
