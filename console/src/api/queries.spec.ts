import { QueryObserver } from '@tanstack/react-query';
import { ParleyError } from './client.js';
import { credential, renewCredential, setCredential } from './credential.js';
import { createQueries } from './queries.js';

describe('the answers that the page keeps', () => {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  const queries = createQueries();

  beforeAll(() => Object.assign(globalThis, { sessionStorage: storage }));
  afterEach(() => {
    queries.clear();
    setCredential(undefined);
  });
  afterAll(() => {
    Reflect.deleteProperty(globalThis, 'sessionStorage');
  });

  it('belong to the sign-in that they were read with, whose token may be renewed', () => {
    setCredential('first');
    queries.setQueryData(['api/v1/runs', {}], 'of the first');
    renewCredential({ token: 'renewed' });
    expect(credential()).toBe('renewed');
    expect(queries.getQueryData(['api/v1/runs', {}])).toBe('of the first');
    setCredential('second');
    expect(queries.getQueryData(['api/v1/runs', {}])).toBeUndefined();
    setCredential('first');
    expect(queries.getQueryData(['api/v1/runs', {}])).toBe('of the first');
  });

  it('a renewal starts no second question of who it is while one is under way', async () => {
    setCredential('first');
    let asked = 0;
    let answer = (): void => undefined;
    const queryFn = (): Promise<number> =>
      new Promise((resolve) => {
        asked += 1;
        answer = () => resolve(asked);
      });
    const stop = new QueryObserver(queries, { queryKey: ['whoami'], queryFn }).subscribe(() => undefined);
    answer();
    await queries.fetchQuery({ queryKey: ['whoami'], queryFn });
    renewCredential({ token: 'renewed' });
    expect(asked).toBe(2);
    renewCredential({ token: 'renewed again' });
    expect(asked).toBe(2);
    answer();
    await queries.fetchQuery({ queryKey: ['whoami'], queryFn });
    stop();
  });

  it.each([
    [401, 2],
    [403, 1],
  ])('after status %i, the page has asked %i times who it is', async (status, count) => {
    let asked = 0;
    const queryFn = (): number => (asked += 1);
    const stop = new QueryObserver(queries, { queryKey: ['whoami'], queryFn, staleTime: Infinity }).subscribe(
      () => undefined,
    );
    await queries.fetchQuery({ queryKey: ['whoami'], queryFn, staleTime: Infinity });
    const refused = (): never => {
      throw new ParleyError('refused', 'The credential is refused', status);
    };
    await expect(queries.fetchQuery({ queryKey: ['runs'], queryFn: refused })).rejects.toThrow(ParleyError);
    await queries.fetchQuery({ queryKey: ['whoami'], queryFn, staleTime: Infinity });
    expect(asked).toBe(count);
    stop();
  });
});
