import { Metrics } from '../../common/index.js';
import { LocalRelay } from '../adapters/local/local-relay.js';
import { MemoryRunLog, NO_USAGE, runningRun } from '../testing/memory-run-log.js';
import { RunMetrics } from '../run.metrics.js';
import type { CommitSource } from './commit-source.js';
import { GroupCommit } from './group-commit.js';
import { LogCommit } from './log-commit.js';

const RUNS = 200;

/** A commit of the first events of many runs, after which the pause has begun; time stands still. */
async function manyRuns() {
  const log = new MemoryRunLog();
  const metrics = new RunMetrics(new Metrics());
  const commits = new GroupCommit(new LogCommit(log.ledger(), metrics, NO_USAGE), log, new LocalRelay(), metrics);
  const sources = Array.from({ length: RUNS }, (_, index) => sourceOf(index + 1));
  const write = (): void => sources.forEach((source) => commits.request(source));
  write();
  await turns();
  expect(log.batches).toEqual([RUNS]);
  write();
  const pass = async (milliseconds: number): Promise<readonly number[]> => {
    await turns();
    jest.advanceTimersByTime(milliseconds);
    await turns();
    return log.batches;
  };
  return { commits, write, pass };
}

/** A run that has one more event whenever it is asked. */
function sourceOf(rowId: number): CommitSource {
  const run = runningRun({ rowId });
  let firstSeq = 0;
  return {
    deadline: Infinity,
    take: () => ({ run, firstSeq: firstSeq++, lines: ['{}'], steps: [], end: undefined, at: 0 }),
    committed: () => undefined,
    lost: (reason) => {
      throw reason;
    },
    restorable: () => undefined,
  };
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('the pause between commits of many runs', () => {
  beforeEach(() => {
    const doNotFake = ['setImmediate', 'clearImmediate', 'nextTick', 'queueMicrotask', 'hrtime', 'Date'] as const;
    jest.useFakeTimers({ doNotFake: [...doNotFake] });
  });
  afterEach(() => jest.useRealTimers());

  it('lasts 50 ms while nobody waits', async () => {
    const { pass } = await manyRuns();
    expect(await pass(5)).toEqual([RUNS]);
    expect(await pass(44)).toEqual([RUNS]);
    expect(await pass(1)).toEqual([RUNS, RUNS]);
  });

  it('ends when somebody waits, but not before 5 ms', async () => {
    const { commits, pass } = await manyRuns();
    commits.hurry();
    expect(await pass(4)).toEqual([RUNS]);
    expect(await pass(1)).toEqual([RUNS, RUNS]);
  });

  it('ends at once when somebody begins to wait later', async () => {
    const { commits, write, pass } = await manyRuns();
    expect(await pass(20)).toEqual([RUNS]);
    commits.hurry();
    expect(await pass(0)).toEqual([RUNS, RUNS]);
    // The next one is long again.
    write();
    await pass(5);
    expect(await pass(44)).toEqual([RUNS, RUNS]);
    expect(await pass(1)).toEqual([RUNS, RUNS, RUNS]);
  });
});
