import { Injectable } from '@nestjs/common';
import { AgentRegistry, TOOL_AGENT } from '../../agent/index.js';
import { MessageAttachments } from '../../agent/attachment/index.js';
import type { RunView } from '../../run/index.js';
import { callDataOf } from './call-data.js';
import { Calls } from './calls.js';
import type { FoldContext } from './fold/mcp-fold.js';
import { McpFold } from './fold/mcp-fold.js';
import { type CallData, WIRE } from './mcp.types.js';
import { Seals } from './seals.js';

/** How long what a modern client hands back with its answers is valid, in milliseconds. */
const STATE_TTL_MS = 60 * 60 * 1000;

/** Makes the folds of runs. */
@Injectable()
export class CallFolds {
  constructor(
    private readonly calls: Calls,
    private readonly agents: AgentRegistry,
    private readonly attachments: MessageAttachments,
    private readonly seals: Seals,
  ) {}

  /** The fold of a run. @param data how its client is answered; absent: as it was asked for */
  of(run: RunView, data: CallData = callDataOf(run) ?? foreign(run)): McpFold {
    return new McpFold({
      data,
      runId: run.runId,
      sessionId: run.sessionId,
      agent: this.titleOf(run.agentType, data),
      isTool: run.agentType === TOOL_AGENT,
      shown: (message) => this.attachments.shownMessage(message, run.tenantId),
      state: (at) => this.stateOf(data, at),
    });
  }

  /** How the context of a run is found; undefined for the first run of a call. */
  contextOf(run: RunView): (() => Promise<FoldContext>) | undefined {
    return run.rootRunId === run.runId ? undefined : () => this.calls.contextOf(run);
  }

  /** The name of an agent, as forms show it. */
  titleOf(agentType: string, { tool }: Pick<CallData, 'tool'>): string {
    const isKnown = this.agents.list().some(({ name }) => name === agentType);
    if (!isKnown || agentType === TOOL_AGENT) return tool;
    return this.agents.get(agentType).mcpTool?.title ?? agentType;
  }

  /** What a modern client hands back with its answers. @param at milliseconds since the epoch */
  stateOf({ call, tool, digest, caller }: CallData, at: number): string {
    return this.seals.seal('request', { r: call, t: tool, d: digest, c: caller, e: at + STATE_TTL_MS });
  }
}

/** A run of another wire: its messages are those of a call with the id of the run. */
function foreign({ runId, agentType }: RunView): CallData {
  return {
    call: runId,
    era: 'legacy',
    version: '2025-11-25',
    id: runId,
    token: runId,
    asks: false,
    tool: agentType,
    digest: '',
    caller: WIRE,
  };
}
