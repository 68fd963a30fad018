import { Chores } from '../../src/chores/index.js';
import { Dispatcher } from '../../src/run/index.js';
import { HELD } from '../../src/run/ports/run-leases.js';
import { behaviour, say, stopped } from '../support/code-agents.js';
import { ALICE, describeOnLedgers, nextId, runRequest } from '../support/ledger.js';
import { RunDriver } from '../support/run-driver.js';
import { countStatements } from '../support/statements.js';
import { until } from '../support/until.js';

const LOST_RUNS = 20;
const SWEEPS = 10;

describeOnLedgers('runs without a worker that wait for a slot', (ledger) => {
  let server: RunDriver;
  let begun: number;
  let open: () => void;

  beforeEach(() => {
    begun = 0;
    const gate = new Promise<void>((resolve) => (open = resolve));
    behaviour.current = async function* (context) {
      begun += 1;
      await Promise.race([gate, stopped(context)]);
      yield say(context, 'Hello');
    };
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    open();
    await server.stop();
  });

  /** Starts a server whose only slot is taken. Returns the id of its worker. */
  async function start(env: Record<string, string>): Promise<string> {
    server = await RunDriver.start(ledger(), { env: { RUN_CONCURRENCY: '1', ...env } });
    await server.get(Chores).onModuleDestroy();
    await server.runs.accept(runRequest({ agentType: 'code-restart' }));
    await until(() => expect(begun).toBe(1));
    const [worker] = await ledger().database.read.all<{ id: string }>('SELECT id FROM workers');
    return worker?.id ?? '';
  }

  /** Stores runs that a worker holds and does not execute. */
  async function held(owner: string): Promise<string[]> {
    const ids: string[] = [];
    for (let count = 0; count < LOST_RUNS; count += 1) {
      const request = { agentType: 'code-restart', sessionId: nextId('session') };
      const { run } = await ledger().accept(request, { lease: { owner, until: HELD }, now: Date.now() });
      ids.push(run.id);
    }
    return ids;
  }

  async function waiting(): Promise<number> {
    const sql = `SELECT no FROM runs WHERE status = 'running' AND lease_until = 0`;
    return (await ledger().database.read.all(sql)).length;
  }

  /** Everything about runs but the queries of the next sweeps: what else a server does has its own times. */
  async function besideSweeps(): Promise<readonly string[]> {
    const { sent } = countStatements(ledger().database.dialect);
    const isSweep = (sql: string): boolean => sql.includes('RECURSIVE owners');
    await until(() => {
      server.get(Dispatcher).check();
      expect(sent.filter(isSweep).length).toBeGreaterThanOrEqual(SWEEPS);
    });
    jest.restoreAllMocks();
    return sent.filter((sql) => !isSweep(sql) && /\b(runs|run_\w+|workers|sessions)\b/.test(sql));
  }

  async function expectExecuted(ids: readonly string[]): Promise<void> {
    open();
    for (const id of ids) {
      await until(async () => {
        server.get(Dispatcher).check();
        expect(await server.runs.view(ALICE, id)).toMatchObject({ state: 'completed', attempt: 2 });
      });
    }
  }

  it('runs of a lost process are written once, and sweeps only read until there is a slot', async () => {
    await start({ SWEEP_INTERVAL_MS: '60000', LEASE_MS: '120000' });
    const dead = { name: 'dead', role: 'all', version: '0', schemaVersion: '0', fingerprints: {}, id: 'dead-worker' };
    const host = { hostId: null, pid: 1, processStart: null };
    await ledger().workers.register({ ...dead, ...host }, { slots: 9, busy: 9, draining: false }, -1, () => undefined);
    const ids = await held(dead.id);
    await until(async () => {
      server.get(Dispatcher).check();
      expect([await waiting(), await ledger().count('workers')]).toEqual([LOST_RUNS, 1]);
    });
    expect(await besideSweeps()).toEqual([]);
    expect((await ledger().leases.sweep('')).suspects).toHaveLength(1);
    await expectExecuted(ids);
  });

  it('a run whose worker has no row any more is written once', async () => {
    await start({ SWEEP_INTERVAL_MS: '60000', LEASE_MS: '120000' });
    const ids = await held('gone-worker');
    await until(async () => {
      server.get(Dispatcher).check();
      expect(await waiting()).toBe(LOST_RUNS);
    });
    expect(await besideSweeps()).toEqual([]);
    await expectExecuted(ids);
  });

  it('a run that its own process gave up is given up once', async () => {
    const own = await start({ SWEEP_INTERVAL_MS: '50', LEASE_MS: '3000' });
    const ids = await held(own);
    await until(async () => expect(await waiting()).toBe(LOST_RUNS));
    expect((await ledger().leases.sweep(own)).owned).toHaveLength(1);
    await expectExecuted(ids);
  });
});
