import { Logger } from '@nestjs/common';
import { TypeOrmChoreSchedule } from '../../src/chores/adapters/typeorm-chore-schedule.js';
import { ChoreTurns } from '../../src/chores/chore-turns.js';
import { type Chore, Chores } from '../../src/chores/index.js';
import { Metrics } from '../../src/common/index.js';
import { describeOnLedgers, type Ledger } from '../support/ledger.js';
import { until } from '../support/until.js';

const HOUR = 3_600_000;
const NEVER = new AbortController().signal;

/** What one process has. */
class Instance {
  readonly metrics = new Metrics();
  readonly schedule: TypeOrmChoreSchedule;
  readonly turns: ChoreTurns;
  readonly chores: Chores;

  constructor(readonly ledger: Ledger) {
    this.schedule = new TypeOrmChoreSchedule(ledger.database);
    this.turns = new ChoreTurns(this.schedule, this.metrics);
    this.chores = new Chores(this.schedule, this.turns);
  }

  /** How often the chore ended like this, as the metrics show it. */
  count(outcome: string): number {
    const metric = this.metrics.all.find(({ name }) => name === 'parley_chore_executions_total');
    if (metric?.type !== 'counter') throw new Error('no such metric');
    const members = [...metric.members()].filter(([values]) => values[1] === outcome);
    return members.reduce((sum, [, { value }]) => sum + value, 0);
  }
}

describeOnLedgers('chores of two processes', (ledger) => {
  let other: Ledger;
  let one: Instance;
  let two: Instance;
  beforeAll(async () => (other = await ledger().another()));
  afterAll(() => other.database.close());
  beforeEach(async () => {
    [one, two] = [new Instance(ledger()), new Instance(other)];
    await one.schedule.add('sweep');
  });
  afterEach(() => jest.restoreAllMocks());

  const makeDue = (): Promise<unknown> => ledger().database.write((tx) => tx.run('UPDATE chores SET due_at = 0'));
  const wait = async (): Promise<number> => (await one.schedule.waits()).get('sweep') ?? NaN;
  const choreOf = (work: Chore['work'], everyMs = HOUR): Chore => ({ name: 'sweep', everyMs, work });

  it('one of them works in each period', async () => {
    let worked = 0;
    const chore = choreOf(() => Promise.resolve((worked += 1)));
    for (let period = 1; period <= 5; period += 1) {
      await makeDue();
      await Promise.all([1, 2, 3].flatMap(() => [one.turns.work(chore, NEVER), two.turns.work(chore, NEVER)]));
      expect(worked).toBe(period);
      expect(await wait()).toBeGreaterThan(HOUR - 60_000);
    }
    expect(one.count('done') + two.count('done')).toBe(5);
  });

  it('the clocks of their machines do not matter', async () => {
    let worked = 0;
    const chore = choreOf(() => Promise.resolve((worked += 1)));
    const now = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(now + 24 * HOUR);
    await one.turns.work(chore, NEVER);
    await two.turns.work(chore, NEVER);
    jest.spyOn(Date, 'now').mockReturnValue(now - 24 * HOUR);
    await two.turns.work(chore, NEVER);
    expect(worked).toBe(1);
    expect(await wait()).toBeGreaterThan(HOUR - 60_000);
  });

  it('a chore that fails is logged, and due again soon', async () => {
    const log = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    await one.turns.work(
      choreOf(() => Promise.reject(new Error('away'))),
      NEVER,
    );
    expect(log).toHaveBeenCalledWith('The chore sweep failed: Error: away');
    expect(one.count('failed')).toBe(1);
    expect(await wait()).toBeLessThanOrEqual(30_000);
    expect(await wait()).toBeGreaterThan(0);
  });

  it('a chore that takes longer than its period does not overlap itself', async () => {
    let end = (): void => undefined;
    let begun = 0;
    const chore = choreOf(() => new Promise((resolve) => ((begun += 1), (end = () => resolve(undefined)))), 1);
    const working = one.turns.work(chore, NEVER);
    await until(() => begun === 1, 'the chore has begun');
    for (let tries = 0; tries < 5; tries += 1) await two.turns.work(chore, NEVER);
    expect(begun).toBe(1);
    end();
    await working;
    expect(await wait()).toBeLessThanOrEqual(1);
    const next = two.turns.work(chore, NEVER);
    await until(() => begun === 2, 'the other process works');
    end();
    await next;
  });

  it('what the end of a process cuts short is continued by the other', async () => {
    const stopping = new AbortController();
    const working = one.turns.work(
      choreOf((signal) => new Promise((resolve) => signal.addEventListener('abort', resolve))),
      stopping.signal,
    );
    await until(async () => (await wait()) > 0, 'the turn is taken');
    stopping.abort();
    await working;
    expect(one.count('stopped')).toBe(1);
    let worked = 0;
    await two.turns.work(
      choreOf(() => Promise.resolve((worked += 1))),
      NEVER,
    );
    expect(worked).toBe(1);
  });

  it('a process that has lost its turn does not make the chore due again', async () => {
    let end = (): void => undefined;
    const working = one.turns.work(
      choreOf(() => new Promise((resolve) => (end = () => resolve(undefined))), 1),
      NEVER,
    );
    await until(async () => (await wait()) > 0, 'the turn is taken');
    // As if it had been paused for a period.
    await makeDue();
    await two.turns.work(
      choreOf(() => Promise.resolve()),
      NEVER,
    );
    end();
    await working;
    expect(await wait()).toBeGreaterThan(HOUR - 60_000);
  });

  it('every process begins what is due by itself, also what another has just added', async () => {
    const worked: string[] = [];
    const instances = [one, two];
    for (const { chores } of instances) {
      chores.register({ name: 'first', everyMs: HOUR, work: () => Promise.resolve(worked.push('first')) });
      chores.register({ name: 'often', everyMs: 50, work: () => Promise.resolve(worked.push('often')) });
      expect(() => chores.register({ name: 'first', everyMs: 1, work: () => Promise.resolve() })).toThrow('two chores');
      chores.onApplicationBootstrap();
    }
    const often = (): number => worked.filter((name) => name === 'often').length;
    await until(() => often() >= 5 && worked.includes('first'), 'both chores were worked on');
    await Promise.all(instances.map(({ chores }) => chores.onModuleDestroy()));
    expect(worked.filter((name) => name === 'first')).toHaveLength(1);
    expect(one.count('done') + two.count('done')).toBe(worked.length);
  });
});
