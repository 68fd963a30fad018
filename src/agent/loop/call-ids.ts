const TAIL_LENGTH = 8;

/** What the loops of an execution have given, by its object. */
const executions = new WeakMap<object, Set<string>>();

/**
 * Gives every call of a run an id of its own: the provider's where it has one that is not taken, else
 * one derived from the run, the step and the call's place. A step that is done again after a crash names
 * its calls anew: clients have seen the first ones, perhaps with other arguments, and answer by the id.
 */
export class CallIds {
  private readonly used: Set<string>;
  private readonly runTail: string;

  /**
   * @param used ids that are taken: those of the conversation so far, and those that the run has shown
   * @param execution an object of one execution of a run: the loops of its subagents give no id twice
   */
  constructor(runId: string, used: Iterable<string> = [], execution?: object) {
    this.used = execution ? usedIn(execution) : new Set();
    this.reserve(used);
    this.runTail = runId.replace(/[^A-Za-z0-9]/g, '').slice(-TAIL_LENGTH);
  }

  /** Takes ids that a finished step of this run already gave. */
  reserve(ids: Iterable<string>): void {
    for (const id of ids) this.used.add(id);
  }

  /** @param index the call's place in its step, from 0 */
  next(step: number, index: number, providerId: string | undefined): string {
    const derived = `call_${this.runTail}_${step}_${index}`;
    const wanted = providerId ? [providerId, `${providerId}_${step}_${index}`, derived] : [derived];
    let id = wanted.find((candidate) => !this.used.has(candidate));
    for (let attempt = 2; id === undefined; attempt += 1) {
      const candidate = `${derived}_${attempt}`;
      if (!this.used.has(candidate)) id = candidate;
    }
    this.used.add(id);
    return id;
  }
}

function usedIn(execution: object): Set<string> {
  const used = executions.get(execution) ?? new Set();
  executions.set(execution, used);
  return used;
}
