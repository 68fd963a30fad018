import { Logger } from '@nestjs/common';
import { LoggedEvent } from '../../events/index.js';
import type { LogWrite } from '../ports/run-log.js';
import type { RunRecord } from '../run-record.js';
import { LostCommits } from './lost-commits.js';

const RUN = { id: 'run-1', rowId: 1, fence: 1 } as RunRecord;
const WRITE: LogWrite = { run: RUN, firstSeq: 5, lines: ['{"n":5}'], steps: [], end: undefined, at: 30 };
/** Three events of two commits. */
const EVENTS = [2, 3, 4].map((seq) => new LoggedEvent(seq, `{"n":${seq}}`, undefined, seq < 4 ? 10 : 20));

describe('commits that the database has lost', () => {
  let appended: LogWrite[];
  const errors: string[] = [];

  beforeEach(() => {
    appended = [];
    errors.length = 0;
    jest.spyOn(Logger.prototype, 'error').mockImplementation((text) => void errors.push(String(text)));
  });
  afterEach(() => jest.restoreAllMocks());

  const restore = (held: number | undefined, events: readonly LoggedEvent[] | undefined): Promise<boolean> => {
    const append = (writes: readonly LogWrite[]): Promise<readonly boolean[]> => {
      appended.push(...writes);
      return Promise.resolve(writes.map(() => true));
    };
    const lost = new LostCommits({ append }, { held: () => Promise.resolve(held) });
    return lost.restore({ restorable: () => events }, WRITE);
  };

  it('are written again with their numbers and times', async () => {
    expect(await restore(2, EVENTS)).toBe(true);
    expect(appended.map(({ firstSeq, lines, at }) => [firstSeq, lines, at])).toEqual([
      [2, ['{"n":2}', '{"n":3}'], 10],
      [4, ['{"n":4}'], 20],
    ]);
  });

  it('are not written in part', async () => {
    expect(await restore(1, EVENTS)).toBe(false);
    expect(await restore(1, undefined)).toBe(false);
    expect(appended).toEqual([]);
    expect(errors).toEqual([expect.stringMatching('cannot be restored'), expect.stringMatching('cannot be restored')]);
  });

  it('are none if another process has the run, or the end of the log is where it was', async () => {
    expect([await restore(undefined, EVENTS), await restore(5, EVENTS)]).toEqual([false, false]);
    expect([appended, errors]).toEqual([[], []]);
  });
});
