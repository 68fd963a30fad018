import { getMaxListeners } from 'node:events';
import { withDeadline } from './deadline.js';

describe('withDeadline', () => {
  it('any number of calls can wait for one signal without a warning of Node.js', async () => {
    const outer = new AbortController();
    const call = withDeadline(60_000, outer.signal, () => new Promise(() => undefined));
    expect(getMaxListeners(outer.signal)).toBe(Infinity);
    outer.abort(new Error('over'));
    await expect(call).rejects.toThrow('over');
  });
});
