import { readSettings } from '../../config/index.js';
import { HttpSettings } from '../http/index.js';
import { ResumeCache, type StoppedEncoder } from './resume-cache.js';
import { NewestFrames } from './newest-frames.js';
import { CountingEncoder } from './testing/counting-wire.js';

/** An encoder after ten frames, of which the last two are known. */
const stopped = (length = 100): StoppedEncoder => ({
  encoder: new CountingEncoder(),
  lastSeq: 9,
  count: 10,
  newest: ['9', '10'],
  length,
});

describe('ResumeCache', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  const cacheOf = (bytes?: number): ResumeCache =>
    new ResumeCache(readSettings(HttpSettings, bytes === undefined ? {} : { RESUME_CACHE_BYTES: String(bytes) }));

  it('an encoder is taken once, by a reader that lacks only known frames', () => {
    const cache = cacheOf();
    const one = stopped();
    cache.add('r', one);
    expect([cache.take('s', 10), cache.take('r', 7), cache.size]).toEqual([undefined, undefined, 1]);
    expect(cache.take('r', 8)).toBe(one);
    expect([cache.take('r', 8), cache.size]).toEqual([undefined, 0]);
  });

  it('the encoders of two readers of one run are both kept', () => {
    const cache = cacheOf();
    const [one, other] = [stopped(), { ...stopped(), count: 12 }];
    cache.add('r', one);
    cache.add('r', other);
    expect([cache.take('r', 9), cache.take('r', 9), cache.take('r', 10)]).toEqual([one, undefined, other]);
  });

  it('each encoder is forgotten after 30 seconds', () => {
    const cache = cacheOf();
    cache.add('r', stopped());
    jest.advanceTimersByTime(20_000);
    cache.add('s', stopped());
    jest.advanceTimersByTime(10_000);
    expect([cache.take('r', 10), cache.size]).toEqual([undefined, 1]);
    jest.advanceTimersByTime(20_000);
    expect(cache.size).toBe(0);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('the oldest encoders are forgotten when they are too large together', () => {
    const cache = cacheOf(250);
    for (const key of ['r', 's', 't']) cache.add(key, stopped());
    expect([cache.size, cache.take('r', 10)]).toEqual([2, undefined]);
    cache.add('u', stopped(300));
    expect(cache.size).toBe(0);
    const none = cacheOf(0);
    none.add('r', stopped());
    expect(none.size).toBe(0);
  });

  it('a server that stops forgets all encoders', () => {
    const cache = cacheOf();
    cache.add('r', stopped());
    cache.beforeApplicationShutdown();
    expect([cache.size, cache.take('r', 10), jest.getTimerCount()]).toEqual([0, undefined, 0]);
  });
});

describe('NewestFrames', () => {
  const text = (length: number): string => 'x'.repeat(length);

  it('the newest frames are kept, between 16 and 32 KB of them', () => {
    const newest = new NewestFrames();
    for (let count = 1; count <= 1000; count += 1) {
      newest.add([`${count}`.padStart(100)], 100);
      const kept = newest.all();
      expect(kept.at(-1)?.trim()).toBe(String(count));
      expect(kept[0]?.trim()).toBe(String(count - kept.length + 1));
      if (count < 160) expect(kept).toHaveLength(count);
      else expect(kept.length >= 160 && kept.length <= 328).toBe(true);
    }
  });

  it('a large batch leaves its last frames, and a frame that is too large leaves nothing', () => {
    const newest = new NewestFrames();
    newest.add([text(10)], 10);
    newest.add([text(40_000), text(5000), text(6000)], 51_000);
    expect(newest.all().map(({ length }) => length)).toEqual([5000, 6000]);
    newest.add([text(40_000)], 40_000);
    expect(newest.all()).toEqual([]);
  });
});
