import type { StepEvent } from '../../events/index.js';
import type { AgUiEvent } from './ag-ui.types.js';
import { owned } from './ownership.js';

interface OpenStep {
  readonly stepName: string;
  readonly owner: string | undefined;
}

/** The steps of a run while a stream shows them; a subagent's are its own, whatever their names. */
export class OpenSteps {
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
