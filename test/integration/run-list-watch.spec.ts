import { type Reach, SystemClock, tenantReach, userReach } from '../../src/common/index.js';
import { LocalRelay } from '../../src/run/adapters/local/local-relay.js';
import { SqlRunSearch } from '../../src/run/adapters/sql/run-search.sql.js';
import type { ListChanges } from '../../src/run/ports/run-queries.js';
import type { RelayState } from '../../src/run/ports/run-relay.js';
import type { RunRecord } from '../../src/run/run-record.js';
import type { RunRequest } from '../../src/run/index.js';
import { RunListWatch } from '../../src/run/query/run-list-watch.js';
import { ALICE, describeOnLedgers, nextId, person } from '../support/ledger.js';
import { until } from '../support/until.js';

const BOB = person('bob');

/** What a reader of a list was told. */
class Reader {
  readonly changed: string[] = [];
  readonly removed: string[] = [];

  readonly take = ({ changed, removed }: ListChanges): void => {
    this.changed.push(...changed.map(({ runId, state }) => `${runId} ${state}`));
    this.removed.push(...removed.map(({ runId }) => runId));
  };
}

describeOnLedgers('lists of runs that are followed', (ledger) => {
  let watch: RunListWatch;
  let relay: LocalRelay;
  let search: SqlRunSearch;
  let stops: (() => void)[] = [];

  const begin = (state: RelayState): void => {
    // While a relay is live, the ledger is looked at every five seconds only.
    relay = Object.assign(new LocalRelay(), { state: state as 'degraded' });
    search = new SqlRunSearch(ledger().database, new SystemClock());
    watch = new RunListWatch(search, relay, new SystemClock());
    stops = [];
  };
  const follow = async (reach: Reach = ALICE): Promise<Reader> => {
    const reader = new Reader();
    stops.push(await watch.follow(reach, reader.take));
    return reader;
  };
  const queued = async (overrides: Partial<RunRequest> = {}): Promise<RunRecord> =>
    (await ledger().accept({ sessionId: nextId('session'), ...overrides }, { now: Date.now() })).run;

  afterEach(() => {
    for (const stop of stops) stop();
    watch.onApplicationShutdown();
    expect(relay.size).toBe(0);
  });

  it('a live relay says when to look, and one look serves all readers of all reaches', async () => {
    begin('live');
    const before = await queued();
    const own = await Promise.all(Array.from({ length: 20 }, () => follow()));
    const [bobs, all] = [await follow(userReach(BOB)), await follow(tenantReach(ALICE.tenantId))];
    const changing = jest.spyOn(search, 'changing');
    const statements = jest.spyOn(ledger().database.read, 'all');
    const run = await queued();
    relay.listChanged();
    await until(() => own.every(({ changed }) => changed.length > 0), 'the new run');
    expect(changing).toHaveBeenCalledTimes(1);
    expect(statements).toHaveBeenCalledTimes(2);
    statements.mockRestore();
    for (const { changed } of [...own, all]) expect(changed).toEqual([`${run.id} queued`]);
    expect(bobs.changed).toEqual([]);
    expect(all.changed).not.toContain(`${before.id} queued`);
  });

  it('a removed run is reported once, to those whose list had it', async () => {
    begin('live');
    const ended = await queued();
    await ledger().cancel(ended.id, { now: Date.now() });
    const [own, bobs] = [await follow(), await follow(userReach(BOB))];
    const later = await queued();
    relay.listChanged();
    await until(() => own.changed.length > 0, 'the later run');
    await ledger().cancel(later.id, { now: Date.now() });
    for (const run of [ended, later]) await ledger().removeRun(await ledger().find(run));
    relay.listChanged();
    await until(() => own.removed.length === 2, 'both removals');
    expect([...own.removed].sort()).toEqual([ended.id, later.id].sort());
    await queued();
    relay.listChanged();
    await until(() => own.changed.length > 1, 'the next run');
    expect(own.removed).toHaveLength(2);
    expect(bobs.removed).toEqual([]);
  });

  it('a run that is not stored disappears when it has ended', async () => {
    begin('live');
    const own = await follow();
    const run = await queued({ store: false });
    relay.listChanged();
    await until(() => own.changed.length > 0, 'the run');
    await ledger().cancel(run.id, { now: Date.now() });
    relay.listChanged();
    await until(() => own.removed.length > 0, 'its end');
    expect(own).toMatchObject({ changed: [`${run.id} queued`], removed: [run.id] });
  });

  it('without a relay changes of other processes are found, and removals too', async () => {
    begin('degraded');
    const own = await follow();
    const run = await queued();
    await until(() => own.changed.length > 0, 'the run');
    await ledger().cancel(run.id, { now: Date.now() });
    await until(() => own.changed.includes(`${run.id} canceled`), 'its end');
    await ledger().removeRun(await ledger().find(run));
    await until(() => own.removed.includes(run.id), 'its removal');
  });

  it('a list that cannot be read is not followed', async () => {
    begin('degraded');
    jest.spyOn(search, 'newest').mockRejectedValueOnce(new Error('no database'));
    await expect(follow()).rejects.toThrow('no database');
    expect(relay.size).toBe(0);
    expect((await follow()).changed).toEqual([]);
  });
});
