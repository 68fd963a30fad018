import { MemoryCounters } from './memory-counters.js';

describe('MemoryCounters', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('count within a window that the first addition begins', () => {
    const counters = new MemoryCounters();
    expect(counters.add('a', 2, 10)).toEqual({ total: 2, resetMs: 10_000 });
    jest.advanceTimersByTime(4000);
    expect(counters.add('a', 3, 10)).toEqual({ total: 5, resetMs: 6000 });
    expect(counters.add('b', 1, 10)).toEqual({ total: 1, resetMs: 10_000 });
  });

  it('begin at 0 again after the window', () => {
    const counters = new MemoryCounters();
    counters.add('a', 2, 10);
    jest.advanceTimersByTime(10_000);
    expect(counters.add('a', 1, 10)).toEqual({ total: 1, resetMs: 10_000 });
  });

  it('take back points of the present window only', () => {
    const counters = new MemoryCounters();
    counters.add('a', 2, 10);
    expect(counters.add('a', -1, 10).total).toBe(1);
    jest.advanceTimersByTime(10_000);
    expect(counters.add('a', -1, 10).total).toBe(0);
    expect(counters.add('a', 1, 10).total).toBe(1);
  });

  it('forget windows that have ended, and no others', () => {
    const counters = new MemoryCounters();
    const { windows } = counters as unknown as { windows: Map<string, unknown> };
    counters.add('long', 1, 3600);
    for (let index = 0; index < 9000; index += 1) counters.add(`early ${index}`, 1, 1);
    jest.advanceTimersByTime(1000);
    for (let index = 0; index < 9000; index += 1) counters.add(`late ${index}`, 1, 1);
    expect(windows.size).toBeLessThanOrEqual(10_000);
    expect(counters.add('long', 1, 3600).total).toBe(2);
    expect(counters.add('late 8999', 1, 1).total).toBe(2);
  });
});
