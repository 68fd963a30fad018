import { LocalRelay } from '../../src/run/adapters/local/local-relay.js';
import { RedisRelay } from '../../src/run/adapters/redis/redis-relay.js';
import type { RelayedEvents, RelayedRun, RelayMessage, RunRelay } from '../../src/run/ports/run-relay.js';
import { NO_REDIS_SERVER as NO_REDIS, RedisServer } from '../support/redis-server.js';
import { SlowProxy } from '../support/slow-proxy.js';
import { until } from '../support/until.js';

const SESSION = { tenantId: 'default', userId: 'alice', sessionId: 'session' };
const run = (rowId: number): RelayedRun => ({ rowId, id: `run-${rowId}`, createdAt: 1_800_000_000_000 });
const events = (firstSeq: number, lines: readonly string[]): RelayedEvents => {
  return { fence: 1, firstSeq, nextSeq: firstSeq + lines.length, lines, at: 1_800_000_000_001 };
};

/** The relays of two processes. */
interface Pair {
  readonly one: RunRelay;
  readonly other: RunRelay;
}

/** What a listener got, without the notes that it is subscribed. */
class Heard {
  readonly all: RelayMessage[] = [];
  isSubscribed = false;
  readonly listener = (message: RelayMessage): void => {
    if (message === 'subscribed') this.isSubscribed = true;
    else this.all.push(message);
  };
}

function describeRelay(title: string, isShared: boolean, pair: () => Pair): void {
  describe(title, () => {
    const follow = async (relay: RunRelay, rowId: number): Promise<Heard & { stop: () => void }> => {
      const heard = new Heard();
      const stop = relay.follow(run(rowId), heard.listener);
      if (isShared) await until(() => heard.isSubscribed, 'the subscription');
      return Object.assign(heard, { stop });
    };

    it('every follower of a run gets its events, in order, and nobody else does', async () => {
      const { one, other } = pair();
      const [first, second, third] = [await follow(other, 1), await follow(other, 1), await follow(other, 2)];
      const sent = Array.from({ length: 200 }, (_, seq) => events(seq, [`{"value":"ü ${seq}"}`]));
      for (const message of sent) one.publish(run(1), message);
      await until(() => first.all.length >= sent.length && second.all.length >= sent.length, 'all events');
      expect(first.all).toEqual(sent);
      expect(second.all).toEqual(sent);
      expect(third.all).toEqual([]);
      for (const { stop } of [first, second, third]) stop();
    });

    it('a run of another ledger with the same row id is another run', async () => {
      const { one, other } = pair();
      const heard = await follow(other, 1);
      one.publish({ ...run(1), createdAt: 1 }, events(0, ['{}']));
      one.publish({ ...run(1), id: 'another' }, events(0, ['{}']));
      one.changed(run(1));
      await until(() => heard.all.length > 0, 'the change');
      expect(heard.all).toEqual(['changed']);
      heard.stop();
    });

    it('who has left hears nothing', async () => {
      const { one, other } = pair();
      const [left, stayed] = [await follow(other, 3), await follow(other, 3)];
      left.stop();
      one.publish(run(3), events(0, ['{}']));
      await until(() => stayed.all.length > 0, 'the event');
      expect(left.all).toEqual([]);
      stayed.stop();
    });

    it('new runs of a session and signals to a worker are announced to those who wait for them', async () => {
      const { one, other } = pair();
      const session = new Heard();
      const [strangers, worker] = [new Heard(), new Heard()];
      const stops = [
        other.awaitRun(SESSION, session.listener),
        other.awaitRun({ ...SESSION, userId: 'bob' }, strangers.listener),
        other.onSignal('worker', () => worker.listener('changed')),
      ];
      if (isShared) await until(() => session.isSubscribed && strangers.isSubscribed && worker.all.length > 0);
      const before = worker.all.length;
      one.announce(SESSION);
      one.signal('worker');
      one.signal('another worker');
      await until(() => session.all.length > 0 && worker.all.length > before, 'the announcements');
      expect([session.all, strangers.all, worker.all.length]).toEqual([['changed'], [], before + 1]);
      for (const stop of stops) stop();
    });
  });
}

describe('the relay', () => {
  const local = new LocalRelay();
  describeRelay('of one process', false, () => ({ one: local, other: local }));
  it('of one process never counts as live', () => expect(local.state).toBe('degraded'));
});

(NO_REDIS ? describe.skip : describe)(`the relay over Redis${NO_REDIS ? ` (skipped: ${NO_REDIS})` : ''}`, () => {
  let redis: RedisServer;
  let proxy: SlowProxy;
  let one: RedisRelay;
  let other: RedisRelay;
  const live = (relay: RunRelay) => until(() => relay.state === 'live', 'a live relay');
  const degraded = (relay: RunRelay) => until(() => relay.state === 'degraded', 'a degraded relay');

  beforeAll(async () => {
    redis = await RedisServer.start();
    proxy = await SlowProxy.start(redis.port);
  });
  beforeEach(async () => {
    [one, other] = [new RedisRelay(redis.url), new RedisRelay(proxy.url)];
    await Promise.all([live(one), live(other)]);
  });
  afterEach(() => {
    one.onApplicationShutdown();
    other.onApplicationShutdown();
  });
  afterAll(async () => {
    await proxy.stop();
    await redis.stop();
  });

  describeRelay('of two processes', true, () => ({ one, other }));

  /** Follows a run at the other process. */
  async function followed(rowId: number): Promise<Heard> {
    const heard = new Heard();
    other.follow(run(rowId), heard.listener);
    await until(() => heard.isSubscribed, 'the subscription');
    return heard;
  }

  it('large events are only numbers, and so are those that nobody has asked for', async () => {
    const heard = await followed(1);
    const large = events(0, ['x'.repeat(70_000)]);
    one.publish(run(1), large);
    await until(() => heard.all.length === 1);
    expect(heard.all).toEqual([{ ...large, lines: undefined }]);
    // The first has no reader, so the second has no lines; its reader is then known.
    one.publish(run(2), events(0, ['{}']));
    await until(async () => (await redis.command('PUBSUB', 'NUMSUB', 'parley:nobody')) !== undefined);
    const late = await followed(2);
    for (let seq = 1; late.all.length < 2; seq += 1) {
      one.publish(run(2), events(seq, ['{}']));
      await until(() => late.all.length >= seq);
    }
    expect(late.all).toMatchObject([{ lines: undefined }, { lines: ['{}'] }]);
  });

  it('what cannot be understood means that the ledger has to be read', async () => {
    const heard = await followed(1);
    const channel = 'parley:run:1:1800000000000:run-1';
    const texts = ['2 1 0 1 5\n{}', '1 1 0 2 5\n{}', '1 1 3 3 5', 'nonsense', ''];
    for (const text of texts) await redis.command('PUBLISH', channel, text);
    await until(() => heard.all.length === texts.length);
    expect(heard.all).toEqual(texts.map(() => 'changed'));
  });

  it('a run that nobody follows any more is not subscribed', async () => {
    const channels = async () => ((await redis.command('PUBSUB', 'CHANNELS', 'parley:run:*')) as string[]).length;
    const stops = Array.from({ length: 1200 }, (_, rowId) => other.follow(run(rowId), () => undefined));
    await until(async () => (await channels()) === 1200);
    for (const stop of stops) stop();
    await until(async () => (await channels()) === 0);
    // Left and followed again before Redis was told.
    const heard = await followed(5);
    const again = new Heard();
    other.follow(run(5), again.listener);
    await until(() => again.isSubscribed);
    expect(heard.all).toEqual([]);
    expect(await channels()).toBe(1);
  });

  it('it is degraded while Redis is slow, and live again afterwards', async () => {
    let changes = 0;
    other.onStateChange(() => (changes += 1));
    proxy.delayMs = 2000;
    await degraded(other);
    expect([one.state, changes]).toEqual(['live', 1]);
    proxy.delayMs = 0;
    await live(other);
  });

  it('it is degraded while Redis is paused or stopped, then subscribed again', async () => {
    const heard = await followed(1);
    redis.signal('SIGSTOP');
    await Promise.all([degraded(one), degraded(other)]);
    redis.signal('SIGCONT');
    await Promise.all([live(one), live(other)]);
    await redis.stop();
    await Promise.all([degraded(one), degraded(other)]);
    one.publish(run(1), events(0, ['{}']));
    heard.isSubscribed = false;
    await redis.restart();
    await Promise.all([live(one), live(other)]);
    await until(() => heard.isSubscribed, 'the subscription after the restart');
    one.publish(run(1), events(1, ['{}']));
    await until(() => heard.all.length > 0);
    expect(heard.all).toEqual([events(1, ['{}'])]);
    await redis.command('FLUSHALL');
    one.publish(run(1), events(2, ['{}']));
    await until(() => heard.all.length === 2);
  });

  it('what cannot be sent is dropped, and nobody waits', async () => {
    redis.signal('SIGSTOP');
    await degraded(one);
    const line = ['y'.repeat(60_000)];
    const before = process.memoryUsage().rss;
    for (let seq = 0; seq < 20_000; seq += 1) one.publish(run(1), events(seq, line));
    redis.signal('SIGCONT');
    await live(one);
    // 1.2 GB were published.
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 * 1024);
  });
});
