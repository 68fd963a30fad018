import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { leaveOutAsyncResourceProperty } from './async-resource-bind.js';

describe('leaveOutAsyncResourceProperty', () => {
  const original = AsyncResource.prototype.bind;
  beforeEach(leaveOutAsyncResourceProperty);
  afterEach(() => {
    AsyncResource.prototype.bind = original;
  });

  it('leaves the property out', () => {
    expect(AsyncResource.bind(() => 1)).not.toHaveProperty('asyncResource');
  });

  it('runs the function in the context in which it was bound', () => {
    const storage = new AsyncLocalStorage<string>();
    const bound = storage.run('bound', () => AsyncResource.bind(() => storage.getStore()));
    expect(storage.run('called', () => bound())).toBe('bound');
  });

  it('passes the arguments, the result, `this` and errors on', () => {
    const owner = {
      name: 'owner',
      bound: AsyncResource.bind(function (this: unknown, a: number, b: number) {
        return [(this as { name: string }).name, a, b];
      }),
    };
    expect(owner.bound(1, 2)).toEqual(['owner', 1, 2]);
    expect(owner.bound).toHaveLength(2);
    const fails = AsyncResource.bind(() => {
      throw new Error('as it is');
    });
    expect(() => fails()).toThrow('as it is');
  });

  it('uses a given `this`', () => {
    const name = function (this: unknown): string {
      return (this as { name: string }).name;
    };
    const resource = new AsyncResource('TEST');
    expect((resource.bind as (fn: unknown, thisArg: unknown) => () => string)(name, { name: 'given' })()).toBe('given');
  });

  it('refuses what is not a function', () => {
    // By its name: if a server ran before in this process, the function has the TypeError of that server's realm.
    const refusal = expect.objectContaining({ name: 'TypeError' }) as Error;
    expect(() => new AsyncResource('TEST').bind('text' as never)).toThrow(refusal);
  });
});
