import { LightAbortSignal } from './light-abort-signal.js';

describe('LightAbortSignal', () => {
  it('calls its listeners once, in order', () => {
    const signal = new LightAbortSignal();
    const calls: string[] = [];
    const first = (): number => calls.push('first');
    signal.addEventListener('abort', first);
    signal.addEventListener('abort', () => calls.push('second'));
    signal.addEventListener('abort', first);
    expect(signal.aborted).toBe(false);
    signal.abort();
    signal.abort();
    expect(signal.aborted).toBe(true);
    expect(calls).toEqual(['first', 'second']);
  });

  it('does not call a listener that was removed, or added after the abort', () => {
    const signal = new LightAbortSignal();
    const listener = jest.fn();
    signal.addEventListener('abort', listener);
    signal.removeEventListener('abort', listener);
    signal.removeEventListener('abort', listener);
    signal.abort();
    signal.addEventListener('abort', listener);
    expect(listener).not.toHaveBeenCalled();
  });

  it('is aborted already when its listeners are called, which may remove each other', () => {
    const signal = new LightAbortSignal();
    const seen: boolean[] = [];
    const second = (): number => seen.push(signal.aborted);
    signal.addEventListener('abort', () => {
      seen.push(signal.aborted);
      signal.removeEventListener('abort', second);
    });
    signal.addEventListener('abort', second);
    signal.abort();
    expect(seen).toEqual([true]);
  });
});
