import type { InterruptView } from '../../src/agent/interrupt/index.js';
import { ALICE } from './ledger.js';
import type { EndedRun, RunDriver } from './run-driver.js';

/** A person's part in a run: what was asked, and how it went on. */
export class Person {
  constructor(
    private readonly gateway: RunDriver,
    private run: EndedRun,
  ) {}

  /** The open interrupts of the run, which waits. */
  async open(): Promise<readonly InterruptView[]> {
    expect(this.run.view).toMatchObject({ state: 'interrupted', error: null });
    return this.gateway.interrupts.pending(ALICE, this.run.view.sessionId);
  }

  /** Answers the first open interrupt. */
  async answer(given: object): Promise<EndedRun> {
    const [first] = await this.open();
    const answer = { interruptId: first?.id ?? '', status: 'resolved', ...given } as never;
    const accepted = await this.gateway.runs.answer(ALICE, null, [answer]);
    this.run = await this.gateway.ended(accepted.run.runId);
    return this.run;
  }
}

/** What was asked, in the order of the questions. */
export function askedIn(open: readonly InterruptView[]): unknown[] {
  return open.map(({ kind, message }) => [kind, message]);
}
