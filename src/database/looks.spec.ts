import { JoinedLooks, type LookStatement } from './looks.js';

/** What is read in each transaction. */
class Transactions {
  readonly read: string[][] = [];
  /** Statements that cannot be read, and why. */
  readonly fail = new Map<string, Error>();
  readonly looks = new JoinedLooks((statements) => this.readAll(statements));

  private readAll(statements: readonly LookStatement[]): Promise<unknown[][]> {
    const names = statements.map(({ sql }) => sql);
    this.read.push(names);
    const error = names.map((name) => this.fail.get(name)).find((one) => one !== undefined);
    if (error) return Promise.reject(error);
    return Promise.resolve(statements.map(({ sql, parameters }) => [`${sql} ${parameters.join()}`]));
  }
}

describe('JoinedLooks', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('what waits is read in the transaction of the next look', async () => {
    const { looks, read } = new Transactions();
    const waiting = [looks.soon('schedules', [1], 1000), looks.soon('erasures', [2], 500)];
    expect(await looks.now('sweep', [3])).toEqual(['sweep 3']);
    expect(await Promise.all(waiting)).toEqual([['schedules 1'], ['erasures 2']]);
    expect(read).toEqual([['sweep', 'schedules', 'erasures']]);
    await jest.advanceTimersByTimeAsync(2000);
    expect(read).toHaveLength(1);
  });

  it('without another look, all that waits is read when the first has waited for as long as it may', async () => {
    const { looks, read } = new Transactions();
    const waiting = [looks.soon('schedules', [], 1000), looks.soon('erasures', [], 500)];
    await jest.advanceTimersByTimeAsync(499);
    expect(read).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(await Promise.all(waiting)).toEqual([['schedules '], ['erasures ']]);
    expect(read).toEqual([['schedules', 'erasures']]);
  });

  it('one that may not wait is read at once', async () => {
    const { looks } = new Transactions();
    expect(await looks.soon('schedules', [], 0)).toEqual(['schedules ']);
  });

  it('a statement that fails, or waits too long for a lock, does not keep the others from being read', async () => {
    const { looks, read, fail } = new Transactions();
    for (const error of [new Error('no table'), Object.assign(new Error('canceled'), { code: '55P03' })]) {
      fail.set('schedules', error);
      const waiting = [looks.soon('schedules', [], 1000), looks.soon('erasures', [], 1000)];
      const outcomes = Promise.allSettled(waiting);
      expect(await looks.now('sweep')).toEqual(['sweep ']);
      expect(await outcomes).toEqual([
        { status: 'rejected', reason: error },
        { status: 'fulfilled', value: ['erasures '] },
      ]);
    }
    expect(read.slice(0, 4)).toEqual([['sweep', 'schedules', 'erasures'], ['sweep'], ['schedules'], ['erasures']]);
    fail.set('sweep', new Error('no sweep'));
    await expect(looks.now('sweep')).rejects.toThrow('no sweep');
  });

  it('when the database does not answer, all fail at once', async () => {
    const { looks, read, fail } = new Transactions();
    fail.set('sweep', Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }));
    const waiting = Promise.allSettled([looks.soon('schedules', [], 1000)]);
    await expect(looks.now('sweep')).rejects.toThrow('gone');
    expect((await waiting).map(({ status }) => status)).toEqual(['rejected']);
    expect(read).toHaveLength(1);
  });

  it('what waits finds nothing when the database is closed', async () => {
    const { looks, read } = new Transactions();
    const waiting = looks.soon('schedules', [], 1000);
    looks.close();
    expect(await waiting).toEqual([]);
    expect(await looks.soon('schedules', [], 1000)).toEqual([]);
    expect(read).toEqual([]);
  });
});
