import { readSettings } from '../../../config/index.js';
import { HttpSettings } from '../http.settings.js';
import { type KeepAliveTarget, KeepAliveTimer } from './keep-alive-timer.js';

class Stream implements KeepAliveTarget {
  lastTick = 0;
  readonly pings: number[] = [];

  ping(): void {
    this.pings.push(Date.now());
  }
}

describe('KeepAliveTimer', () => {
  beforeEach(() => jest.useFakeTimers({ now: 0 }));
  afterEach(() => jest.useRealTimers());

  it('a keep-alive follows a silence since the last write, and the timer stops with the last stream', () => {
    const timer = new KeepAliveTimer(readSettings(HttpSettings, { KEEP_ALIVE_MS: '2000' }));
    const [quiet, busy] = [new Stream(), new Stream()];
    jest.advanceTimersByTime(30);
    timer.add(quiet);
    timer.add(busy);
    for (let write = 0; write < 50; write += 1) {
      jest.advanceTimersByTime(100);
      busy.lastTick = timer.tick;
    }
    expect(quiet.pings).toEqual([2030, 4030]);
    expect(busy.pings).toEqual([]);
    jest.advanceTimersByTime(2000);
    expect(busy.pings).toEqual([7030]);
    timer.remove(quiet);
    expect(jest.getTimerCount()).toBe(1);
    timer.remove(busy);
    expect(jest.getTimerCount()).toBe(0);
  });
});
