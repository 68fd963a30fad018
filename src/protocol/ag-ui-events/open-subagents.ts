import type { AgentResponse, InterruptEvent, SubagentEvent } from '../../events/index.js';
import type { AgUiEvent } from './ag-ui.types.js';
import { interruptsOf } from './run-outcome.js';

/**
 * The subagents of a run while a stream shows them (contract ag-ui, section 2.1, rule 10): each id begins
 * once and ends once. One that begins again after its worker was lost has never ended for the reader.
 */
export class OpenSubagents {
  private readonly known = new Set<string>();
  /** In the order they began. */
  private readonly active = new Set<string>();

  take(event: SubagentEvent): AgUiEvent[] {
    const { id: subagentRunId } = event;
    if (event.status === 'started') return this.start(event);
    if (!this.active.delete(subagentRunId)) return [];
    if (event.status === 'failed') return [{ type: 'SUBAGENT_ERROR', subagentRunId, ...event.error }];
    const { result = null } = event;
    return [{ type: 'SUBAGENT_FINISHED', subagentRunId, ...(result !== null && { result }) }];
  }

  /** Ends those that are active as their run ends, inner ones first. */
  closeAll(response: AgentResponse, interrupt: InterruptEvent | undefined): AgUiEvent[] {
    const ids = [...this.active].reverse();
    this.active.clear();
    return ids.map((subagentRunId) => endOf(subagentRunId, response, interrupt));
  }

  private start(event: Extract<SubagentEvent, { status: 'started' }>): AgUiEvent[] {
    const { id, name, description, parent_id: parentId, call_id: parentToolCallId } = event;
    if (this.known.has(id)) return [];
    const hasParent = parentId !== undefined && this.known.has(parentId);
    this.known.add(id);
    this.active.add(id);
    return [
      {
        type: 'SUBAGENT_STARTED',
        subagentRunId: id,
        name,
        ...(description !== undefined && { description }),
        ...(hasParent && { parentSubagentRunId: parentId }),
        ...(parentToolCallId !== undefined && { parentToolCallId }),
      },
    ];
  }
}

function endOf(subagentRunId: string, { status, error }: AgentResponse, interrupt?: InterruptEvent): AgUiEvent {
  if (status === 'canceled')
    return { type: 'SUBAGENT_ERROR', subagentRunId, message: 'The run was stopped', code: 'STOPPED' };
  if (status === 'failed' || status === 'rejected') {
    const { code, message } = error ?? { code: 'AGENT_ERROR', message: 'The agent failed' };
    return { type: 'SUBAGENT_ERROR', subagentRunId, message, code };
  }
  const interruptIds = interrupt ? interruptsOf(interrupt).map(({ id }) => id) : [];
  if (interruptIds.length === 0) return { type: 'SUBAGENT_FINISHED', subagentRunId };
  return { type: 'SUBAGENT_FINISHED', subagentRunId, outcome: { type: 'suspended', interruptIds } };
}
