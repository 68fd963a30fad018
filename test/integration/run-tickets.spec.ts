import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { BullMqTickets } from '../../src/run/adapters/redis/bullmq-tickets.js';
import { LocalTickets } from '../../src/run/adapters/local/local-tickets.js';
import type { RunTickets, Ticket } from '../../src/run/ports/run-tickets.js';
import { NO_REDIS, REDIS_URL } from '../support/redis.js';
import { until } from '../support/until.js';

const signal = new AbortController().signal;

function ticket(rowId: number, more: Partial<Ticket> = {}): Ticket {
  return { rowId, fence: 0, tenantId: 'default', place: 0, ...more };
}

async function take(tickets: RunTickets, limit: number): Promise<number[]> {
  const taken = await tickets.take(limit, signal);
  await taken.finish();
  return taken.tickets.map(({ rowId }) => rowId);
}

/** Takes until as many tickets came as are expected. */
async function takeAll(tickets: RunTickets, count: number): Promise<number[]> {
  const taken: number[] = [];
  while (taken.length < count) taken.push(...(await take(tickets, 16)));
  return taken;
}

interface Adapter {
  readonly title: string;
  readonly skipped: string | undefined;
  /** Two processes on one database, or one and the same. */
  open(): Promise<{ adder: RunTickets; taker: RunTickets; close: () => Promise<void> }>;
}

const ADAPTERS: readonly Adapter[] = [
  {
    title: 'in one process',
    skipped: undefined,
    open: () => {
      const tickets = new LocalTickets();
      return Promise.resolve({ adder: tickets, taker: tickets, close: () => Promise.resolve() });
    },
  },
  {
    title: 'in BullMQ',
    skipped: NO_REDIS,
    open: async () => {
      const prefix = `parley-test-${randomUUID()}`;
      const [adder, taker] = [new BullMqTickets(REDIS_URL, prefix), new BullMqTickets(REDIS_URL, prefix)];
      await until(() => adder.isLive && taker.isLive, 'Redis to be available');
      const close = async (): Promise<void> => {
        await Promise.all([adder, taker].map((tickets) => tickets.onApplicationShutdown()));
        await removeKeys(prefix);
      };
      return { adder, taker, close };
    },
  },
];

/** Keys that BullMQ has made, and what is left of the tickets. */
async function keysOf(prefix: string): Promise<string[]> {
  const client = new Redis(REDIS_URL);
  const keys = await client.keys(`${prefix}*`);
  client.disconnect();
  return keys;
}

async function removeKeys(prefix: string): Promise<void> {
  const keys = await keysOf(prefix);
  const client = new Redis(REDIS_URL);
  if (keys.length > 0) await client.del(...keys);
  client.disconnect();
}

for (const { title, skipped, open } of ADAPTERS) {
  (skipped ? describe.skip : describe)(`tickets ${title}${skipped ? ` (skipped: ${skipped})` : ''}`, () => {
    let adder: RunTickets;
    let taker: RunTickets;
    let close: () => Promise<void>;

    beforeEach(async () => {
      ({ adder, taker, close } = await open());
    });
    afterEach(() => close());

    it('a ticket reaches whoever waits for one', async () => {
      const taken = take(taker, 4);
      adder.add(ticket(7, { tenantId: 'acme', place: 3 }));
      expect(await taken).toEqual([7]);
    });

    it('a ticket keeps what it says', async () => {
      adder.add(ticket(7, { tenantId: 'acme', place: 3, fence: 2 }));
      const { tickets, finish } = await taker.take(4, signal);
      await finish();
      expect(tickets).toEqual([{ rowId: 7, tenantId: 'acme', place: 3, fence: 2 }]);
    });

    it('a ticket that waits is not added twice, and one of a later fence is another', async () => {
      adder.add(ticket(1));
      adder.add(ticket(1));
      adder.add(ticket(1, { fence: 1 }));
      adder.add(ticket(2));
      expect((await takeAll(taker, 3)).sort()).toEqual([1, 1, 2]);
    });

    it('waiting tickets are taken by place, and urgent ones first', async () => {
      for (const [rowId, place] of [[1, 5], [2, 1], [3, 900], [4, 0]] as const) adder.add(ticket(rowId, { place })); // prettier-ignore
      adder.add(ticket(5, { place: 1000, isUrgent: true }));
      const order: number[] = [];
      // The first fetch may be made before all were added.
      await waiting(adder, 5);
      while (order.length < 5) order.push(...(await take(taker, 1)));
      expect(order).toEqual([5, 4, 2, 1, 3]);
    });

    it('no more are taken than were asked for, and each once', async () => {
      for (let rowId = 1; rowId <= 40; rowId += 1) adder.add(ticket(rowId));
      const taken: number[] = [];
      while (taken.length < 40) {
        const some = await take(taker, 3);
        expect(some.length).toBeLessThanOrEqual(3);
        taken.push(...some);
      }
      expect(taken.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
    });

    it('a ticket with a delay is taken too', async () => {
      adder.add(ticket(9, { passed: 1 }), 20);
      expect(await take(taker, 1)).toEqual([9]);
    });

    it('waiting ends when the signal aborts', async () => {
      const stop = new AbortController();
      const taken = taker.take(4, stop.signal);
      stop.abort();
      expect((await taken).tickets).toEqual([]);
    });
  });
}

/** Resolves when as many tickets wait; those of one process do at once. */
async function waiting(tickets: RunTickets, count: number): Promise<void> {
  if (tickets instanceof BullMqTickets) await until(async () => (await tickets.waiting()) === count, 'the tickets');
}

(NO_REDIS ? describe.skip : describe)(`tickets without Redis${NO_REDIS ? ` (skipped: ${NO_REDIS})` : ''}`, () => {
  it('they stay in the process that adds them', async () => {
    const tickets = new BullMqTickets('redis://127.0.0.1:9/0', 'parley-test');
    tickets.add(ticket(1));
    expect(await take(tickets, 4)).toEqual([1]);
    expect(tickets.isLive).toBe(false);
    await tickets.onApplicationShutdown();
  });

  it('nothing is left of finished tickets', async () => {
    const prefix = `parley-test-${randomUUID()}`;
    const [adder, taker] = [new BullMqTickets(REDIS_URL, prefix), new BullMqTickets(REDIS_URL, prefix)];
    await until(() => adder.isLive && taker.isLive, 'Redis to be available');
    for (let rowId = 1; rowId <= 20; rowId += 1) adder.add(ticket(rowId));
    await takeAll(taker, 20);
    await until(async () => (await keysOf(prefix)).every((key) => !key.includes(':run-')), 'the jobs to be removed');
    await Promise.all([adder, taker].map((tickets) => tickets.onApplicationShutdown()));
    await removeKeys(prefix);
  });

  it('three runs in a row that no ticket brought make a new connection, which works', async () => {
    const prefix = `parley-test-${randomUUID()}`;
    const [adder, taker] = [new BullMqTickets(REDIS_URL, prefix), new BullMqTickets(REDIS_URL, prefix)];
    await until(() => adder.isLive && taker.isLive, 'Redis to be available');
    const taken = take(taker, 4);
    taker.noteMissed(2);
    taker.noteMissed(1);
    expect(taker.missed).toBe(3);
    adder.add(ticket(5));
    expect(await taken).toEqual([5]);
    await Promise.all([adder, taker].map((tickets) => tickets.onApplicationShutdown()));
    await removeKeys(prefix);
  });
});
