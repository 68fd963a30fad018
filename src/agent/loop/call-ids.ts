import { isStorable } from '../../common/index.js';

const TAIL_LENGTH = 8;
/**
 * The longest id of a provider that is used. Columns of the database hold 256 characters, for the id together with a
 * prefix and the position of its call, and clients may answer with ids of 250.
 */
const MOST_ID_LENGTH = 200;

/** The ids that the loops of an execution have used, by the execution's object. */
const executions = new WeakMap<object, Set<string>>();

/**
 * Assigns every call of a run a unique id: the provider's if it is not used yet and can be stored, otherwise one derived
 * from the run, the step and the call's position. A step that is repeated after a crash gets new ids, because clients
 * have seen the first ones, possibly with other arguments, and answer by id.
 */
export class CallIds {
  private readonly used: Set<string>;
  private readonly runTail: string;

  /**
   * @param used the ids of the conversation so far and those that the run has shown
   * @param execution identifies the execution of the run, so that the loops of its subagents share their ids
   */
  constructor(runId: string, used: Iterable<string> = [], execution?: object) {
    this.used = execution ? usedIn(execution) : new Set();
    this.reserve(used);
    this.runTail = runId.replace(/[^A-Za-z0-9]/g, '').slice(-TAIL_LENGTH);
  }

  /** Marks ids of a finished step of this run as used. */
  reserve(ids: Iterable<string>): void {
    for (const id of ids) this.used.add(id);
  }

  /** A new id. @param index the call's position in its step, from 0 */
  next(step: number, index: number, providerId: string | undefined): string {
    const derived = `call_${this.runTail}_${step}_${index}`;
    const wanted = isUsable(providerId) ? [providerId, `${providerId}_${step}_${index}`, derived] : [derived];
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

function isUsable(providerId: string | undefined): providerId is string {
  return !!providerId && providerId.length <= MOST_ID_LENGTH && isStorable(providerId);
}
