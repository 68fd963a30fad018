import type { AppError } from '../../../common/index.js';
import { type CallTimeouts, Watchdog } from './watchdog.js';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** A watchdog, and when it has fired, in milliseconds since the start of the call. */
function watched(timeouts: Partial<CallTimeouts> = {}): { watchdog: Watchdog; firedAt: () => number | undefined } {
  const begun = performance.now();
  let firedAt: number | undefined;
  const onTimeout = (error: AppError): void => {
    expect(error.code).toBe('MODEL_TIMEOUT');
    firedAt = performance.now() - begun;
  };
  const limits = { firstTokenTimeoutMs: 1000, idleTimeoutMs: 500, ...timeouts };
  return { watchdog: new Watchdog(limits, onTimeout), firedAt: () => firedAt };
}

/** Lets this time pass, with a sign of life in each hundred milliseconds. */
function live(watchdog: Watchdog, ms: number): void {
  for (let passed = 0; passed < ms; passed += 100) {
    watchdog.alive();
    jest.advanceTimersByTime(100);
  }
}

describe('Watchdog', () => {
  it('silence before the first event is a time-out', () => {
    const { firedAt } = watched();
    jest.advanceTimersByTime(5000);
    expect(firedAt()).toBe(1000);
  });

  it('signs of life extend the wait for the first event', () => {
    const { watchdog, firedAt } = watched({ commentsTimeoutMs: 60_000 });
    live(watchdog, 30_000);
    expect(firedAt()).toBeUndefined();
    jest.advanceTimersByTime(5000);
    expect(firedAt()).toBe(30_900);
  });

  it('signs of life extend it up to a limit of their own', () => {
    const { watchdog, firedAt } = watched({ commentsTimeoutMs: 10_000 });
    live(watchdog, 20_000);
    expect(firedAt()).toBe(10_000);
  });

  it('a limit that is shorter than the wait changes nothing', () => {
    const { watchdog, firedAt } = watched({ commentsTimeoutMs: 100 });
    live(watchdog, 5000);
    expect(firedAt()).toBe(1000);
  });

  it('signs of life extend the wait between two events as well', () => {
    const { watchdog, firedAt } = watched({ commentsTimeoutMs: 10_000 });
    watchdog.hold();
    watchdog.wait();
    live(watchdog, 5000);
    watchdog.progress();
    live(watchdog, 8000);
    expect(firedAt()).toBeUndefined();
    live(watchdog, 5000);
    expect(firedAt()).toBe(15_000);
  });
});
