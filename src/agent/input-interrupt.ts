import type { JsonObject } from '../common/index.js';
import type { AskedInterrupt, SettledInterrupt } from '../interrupt/index.js';

/** What an agent asks a person for. */
export interface InputQuestion {
  /** Which question of the agent it is. Default: `input:0`, `input:1` … in the order they are asked. */
  readonly key?: string;
  /** For programs: what kind of input this is, for example `choose_flight`. */
  readonly reason: string;
  /** For the person. */
  readonly message: string;
  /** JSON Schema that the answer is checked against; without one any JSON is taken. */
  readonly responseSchema?: JsonObject;
  /** Milliseconds until it can no longer be answered. Default: APPROVAL_EXPIRES_IN. */
  readonly expiresInMs?: number;
}

/** Thrown by `context.interrupt()` to end the run: it waits for the asked input. Agents let it pass. */
export class InputInterrupt extends Error {
  constructor(
    readonly asked: AskedInterrupt,
    readonly question: InputQuestion,
  ) {
    super(`The run waits for an input: ${question.message}`);
    this.name = 'InputInterrupt';
  }
}

/** Thrown by `context.interrupt()` when there will be no answer. An agent that does not catch it is cancelled. */
export class InputRefused extends Error {
  constructor(readonly interrupt: SettledInterrupt) {
    super(interrupt.status === 'expired' ? 'Nobody answered in time' : 'The question was not answered: given up');
    this.name = 'InputRefused';
  }
}
