import type pg from 'pg';
import { RequestWaits } from './request-waits.js';

const LIMIT_MS = 1000;

/** A connection that notes whether it was cut. */
function connection(): { readonly client: pg.PoolClient; isCut: boolean } {
  const found = { client: undefined as unknown as pg.PoolClient, isCut: false };
  const stream = { destroy: () => (found.isCut = true) };
  found.client = { end: () => Promise.resolve(), connection: { stream } } as unknown as pg.PoolClient;
  return found;
}

/** Waits as requests do, for connections that a test hands out. */
class Requests {
  probes = 0;
  isAlive = true;
  readonly outcomes: string[] = [];
  readonly waits = new RequestWaits(LIMIT_MS, Infinity, () => {
    this.probes += 1;
    return this.isAlive ? Promise.resolve() : Promise.reject(new Error('no answer'));
  });
  private readonly queue: ((client: pg.PoolClient) => void)[] = [];

  ask(count: number): void {
    for (let index = 0; index < count; index += 1) {
      const connecting = new Promise<pg.PoolClient>((resolve) => this.queue.push(resolve));
      const wait = this.waits.begin();
      wait
        .connected(
          () => connecting,
          () => void this.outcomes.push('given back'),
        )
        .then(
          () => {
            this.outcomes.push('served');
            wait.end();
          },
          () => this.outcomes.push('refused'),
        );
    }
  }

  handOut(): void {
    this.queue.shift()?.(connection().client);
  }

  count(outcome: string): number {
    return this.outcomes.filter((one) => one === outcome).length;
  }
}

async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 100) {
    await jest.advanceTimersByTimeAsync(100);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('requests that wait for PostgreSQL', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'] }));
  afterEach(() => jest.useRealTimers());

  it('are refused after the limit while no connection is handed out, and give back one that comes too late', async () => {
    const requests = new Requests();
    requests.ask(3);
    await pass(LIMIT_MS - 100);
    expect(requests.outcomes).toEqual([]);
    await pass(200);
    expect(requests.count('refused')).toBe(3);
    requests.handOut();
    await pass(100);
    expect(requests.count('given back')).toBe(1);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('keep waiting in a burst as far as their turn comes within the same time again', async () => {
    const requests = new Requests();
    requests.ask(100);
    for (let tenth = 0; tenth < 10; tenth += 1) {
      for (let index = 0; index < 4; index += 1) requests.handOut();
      await pass(100);
    }
    await pass(100);
    expect(requests.count('served')).toBe(40);
    expect(requests.count('refused')).toBeGreaterThan(15);
    expect(requests.count('refused')).toBeLessThan(45);
  });

  it('have as many connections as they may: the next one is asked for when one is free', async () => {
    const waits = new RequestWaits(LIMIT_MS, 1, () => Promise.resolve());
    const client = connection().client;
    let asked = 0;
    const connect = (): Promise<pg.PoolClient> => {
      asked += 1;
      return Promise.resolve(client);
    };
    const [first, second, third] = [waits.begin(), waits.begin(), waits.begin()];
    await first.connected(connect, () => undefined);
    const refused = second.connected(connect, () => undefined).catch((error: Error) => error.message);
    await pass(LIMIT_MS + 100);
    expect([await refused, asked]).toEqual([`No connection to the database within ${LIMIT_MS} ms`, 1]);
    second.end();
    const next = third.connected(connect, () => undefined);
    first.end();
    expect(await next).toBe(client);
    third.end();
    expect([asked, waits.queuedCount]).toEqual([2, 0]);
    await pass(200);
  });

  it('lose their connection when nobody gets an answer, but not while the database answers a probe', async () => {
    const requests = new Requests();
    const found = connection();
    const wait = requests.waits.begin();
    await wait.connected(
      () => Promise.resolve(found.client),
      () => undefined,
    );
    await pass(5 * LIMIT_MS);
    expect(requests.probes).toBeGreaterThan(1);
    expect(found.isCut).toBe(false);
    requests.isAlive = false;
    await pass(LIMIT_MS + 200);
    expect(found.isCut).toBe(true);
    wait.end();
    await pass(200);
    expect(jest.getTimerCount()).toBe(0);
  });
});
