import { JoinedLooks, type LookStatement } from './looks.js';

/** What is read in each transaction. */
class Transactions {
  readonly read: string[][] = [];
  /** The statement that cannot be read. */
  broken: string | undefined;
  readonly looks = new JoinedLooks((statements) => this.readAll(statements));

  private readAll(statements: readonly LookStatement[]): Promise<unknown[][]> {
    const names = statements.map(({ sql }) => sql);
    this.read.push(names);
    if (names.some((name) => name === this.broken)) return Promise.reject(new Error(`no ${this.broken}`));
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
    expect(read).toEqual([['schedules', 'erasures', 'sweep']]);
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

  it('a statement that fails does not keep the sweep from being read', async () => {
    const transactions = new Transactions();
    transactions.broken = 'schedules';
    const waiting = [transactions.looks.soon('schedules', [], 1000), transactions.looks.soon('erasures', [], 1000)];
    const outcomes = Promise.allSettled(waiting);
    expect(await transactions.looks.now('sweep')).toEqual(['sweep ']);
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    transactions.broken = 'sweep';
    await expect(transactions.looks.now('sweep')).rejects.toThrow('no sweep');
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
