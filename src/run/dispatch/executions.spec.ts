import type { RunControl } from '../execute/run-control.js';
import type { Execution, RunExecutor } from '../execute/run-executor.js';
import type { RunTickets } from '../ports/run-tickets.js';
import type { RunRecord } from '../run-record.js';
import type { RunSettings } from '../run.settings.js';
import { Executions } from './executions.js';
import type { HeldRuns } from './held-runs.js';

/** Executions that the test ends. */
class FakeExecutor {
  readonly controls: RunControl[] = [];
  readonly ends: ((execution: Execution) => void)[] = [];

  execute(_run: RunRecord, control: RunControl): Promise<Execution> {
    this.controls.push(control);
    return new Promise((resolve) => this.ends.push(resolve));
  }
}

describe('Executions', () => {
  const run = (rowId: number) => ({ rowId, leaseOwner: 'w', tenantId: 't', sessionRowId: rowId }) as RunRecord;
  let executor: FakeExecutor;
  let executions: Executions;

  beforeEach(() => {
    executor = new FakeExecutor();
    const leases = {
      leaseOf: () => ({ owner: 'w', deadline: Infinity }),
      release: () => Promise.resolve(),
      free: () => false,
      nextOf: () => Promise.resolve(undefined),
    };
    executions = new Executions(
      leases as unknown as HeldRuns,
      executor as unknown as RunExecutor,
      {} as RunTickets,
      { drainRunMs: 60_000, shutdownGraceMs: 60_000 } as RunSettings,
    );
  });

  it('a run that begins while others are handed over is handed over before its first step, not in the middle', async () => {
    executions.begin(run(1));
    let isOver = false;
    const over = executions.handOver().then(() => (isOver = true));
    executions.begin(run(2));
    const [first, second] = executor.controls;
    expect(first?.stopped).toBeUndefined();
    executor.ends[0]?.('handed-over');
    await new Promise((resolve) => setImmediate(resolve));
    expect([isOver, second?.stopped]).toEqual([false, undefined]);
    expect(() => second?.checkpoint()).toThrow('the run was stopped: shutdown');
    executor.ends[1]?.('handed-over');
    await over;
    expect(executions.active.size).toBe(0);
  });

  it('a run that begins during the grace of a shutdown without others may end', async () => {
    executions.begin(run(1));
    const over = executions.drain();
    executions.begin(run(2));
    executor.ends[0]?.('ended');
    await new Promise((resolve) => setImmediate(resolve));
    const [, second] = executor.controls;
    expect(second?.stopped).toBeUndefined();
    executor.ends[1]?.('ended');
    await over;
    expect(second?.stopped).toBeUndefined();
  });
});
