import type { AgentResponse, InterruptEvent, StepEvent, SubagentEvent } from '../../events/index.js';
import type { AgUiEvent } from './ag-ui.types.js';
import { owned } from './message-kinds.js';
import { interruptsOf } from './run-outcome.js';

/** A step that has started and not finished. */
interface OpenStep {
  /** The name that STEP_FINISHED must repeat. */
  readonly stepName: string;
  /** The id of the subagent whose step it is; undefined for the run itself. */
  readonly owner: string | undefined;
}

/** The steps of a run while a stream shows them; a subagent's are its own, whatever their names. */
export class OpenSteps {
  /** By owner and name, because two subagents may have steps of the same name. */
  private readonly open = new Map<string, OpenStep>();

  /** A step that begins twice, or ends without a beginning, is not shown again. */
  take({ name: stepName, status, subagent_id: owner }: StepEvent): AgUiEvent[] {
    const key = JSON.stringify([owner ?? null, stepName]);
    const starts = status === 'started';
    if (this.open.has(key) === starts) return [];
    if (starts) this.open.set(key, { stepName, owner });
    else this.open.delete(key);
    return owned([{ type: starts ? 'STEP_STARTED' : 'STEP_FINISHED', stepName }], owner);
  }

  /** Ends those that are open. */
  closeAll(): AgUiEvent[] {
    const open = [...this.open.values()];
    this.open.clear();
    return open.flatMap(({ stepName, owner }) => owned([{ type: 'STEP_FINISHED', stepName }], owner));
  }
}

/**
 * The subagents of a run while a stream shows them (contract ag-ui, section 2.1, rule 10): each id begins
 * once and ends once. One that begins again after its worker was lost has never ended for the reader.
 */
export class OpenSubagents {
  /** Every subagent id that has begun, ended ones included. */
  private readonly known = new Set<string>();
  /** In the order they began. */
  private readonly active = new Set<string>();

  /** The events of one subagent event; none for an end without a beginning. */
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

  /** An unknown parent is left out: clients reject a reference to a subagent that they have not seen. */
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

/** A subagent that the run's end cuts off ends as the run does; `suspended` if the run waits for answers. */
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
