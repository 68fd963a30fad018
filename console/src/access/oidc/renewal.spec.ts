import { setCredential, storedCredential } from '../../api/credential.js';
import { wait } from '../../lib/wait.js';
import { ProviderError } from './provider.js';
import { renewIfDue, shareRenewals } from './renewal.js';

/** What a provider answers. */
interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

describe('the renewal of a token', () => {
  const kept = new Map<string, string>();
  let asked: number;
  let answer: () => Answer;
  const globals = {
    sessionStorage: {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
      removeItem: (key: string) => void kept.delete(key),
    },
    fetch: () => {
      asked += 1;
      const { status, body } = answer();
      return Promise.resolve(Response.json(body, { status }));
    },
    navigator: { locks: { request: (_: string, work: () => Promise<void>) => work() } },
  };
  const before = Object.fromEntries(
    Object.keys(globals).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]),
  );
  const channels: BroadcastChannel[] = [];
  /** Each sign-in has a refresh token of its own. */
  let count = 0;

  beforeAll(() => {
    for (const [name, value] of Object.entries(globals))
      Object.defineProperty(globalThis, name, { value, configurable: true });
    const Channel = globalThis.BroadcastChannel;
    globalThis.BroadcastChannel = class extends Channel {
      constructor(name: string) {
        super(name);
        channels.push(this);
      }
    };
    shareRenewals();
    globalThis.BroadcastChannel = Channel;
  });
  beforeEach(() => {
    asked = 0;
    answer = () => ({ status: 200, body: { access_token: `renewed-${count}`, refresh_token: `next-${count}` } });
  });
  afterEach(() => setCredential(undefined));
  afterAll(() => {
    for (const channel of channels) channel.close();
    for (const [name, descriptor] of Object.entries(before)) {
      Reflect.deleteProperty(globalThis, name);
      if (descriptor) Object.defineProperty(globalThis, name, descriptor);
    }
  });

  /** Signs in with a token that has expired. */
  function signIn(): { token: string; refreshToken: string } {
    count += 1;
    const tokenEndpoint = 'https://provider.example/token';
    const refreshToken = `refresh-${count}`;
    setCredential(`token-${count}`, { clientId: 'console', tokenEndpoint, refreshToken, renewAt: 1, expiresAt: 2 });
    return { token: `token-${count}`, refreshToken };
  }

  it('is not repeated at once if the server refuses the token that it has brought', async () => {
    const { token } = signIn();
    await renewIfDue(token);
    const renewed = storedCredential()?.token;
    expect(renewed).not.toBe(token);
    await renewIfDue(renewed);
    expect(storedCredential()?.token).toBe(renewed);
    expect(asked).toBe(1);
  });

  it('brings other tabs no credential of another sign-in', async () => {
    const other = new BroadcastChannel('parley.renewal');
    channels.push(other);
    const heard: { kind: string; refreshToken: string; credential?: { token: string } }[] = [];
    const tokens = (): unknown[] => heard.filter(({ kind }) => kind === 'renewed').map((one) => one.credential?.token);
    const heardOf = async (token: string): Promise<void> => {
      while (!tokens().includes(token)) await wait(1);
    };
    other.onmessage = ({ data }) => heard.push(data as (typeof heard)[number]);
    const { token, refreshToken } = signIn();
    await renewIfDue(token);
    const renewed = `renewed-${count}`;
    await heardOf(renewed);
    heard.length = 0;
    other.postMessage({ kind: 'wanted', refreshToken });
    await heardOf(renewed);

    setCredential(undefined);
    setCredential('api-key');
    const received = new Promise((resolve) => channels[0]?.addEventListener('message', resolve, { once: true }));
    other.postMessage({ kind: 'wanted', refreshToken });
    await received;
    // An answer would come before what is sent later.
    await renewIfDue(signIn().token);
    await heardOf(`renewed-${count}`);
    expect(tokens()).not.toContain('api-key');
  });

  it('is tried once for all requests while the provider fails, and those whose token is refused fail with it', async () => {
    answer = () => ({ status: 503, body: {} });
    const { token } = signIn();
    const [early, refused] = await Promise.allSettled([renewIfDue(), renewIfDue(token)]);
    expect(early.status).toBe('fulfilled');
    expect(refused).toMatchObject({ status: 'rejected', reason: { name: 'ProviderError', status: 503 } });
    await renewIfDue();
    await expect(renewIfDue(token)).rejects.toThrow(ProviderError);
    expect(asked).toBe(1);
    expect(storedCredential()?.grant).toBeDefined();
  });

  it.each([
    [400, { error: 'invalid_request' }, 400],
    [404, {}, 404],
    [200, { page: 'Sign in to this network' }, 502],
  ])('keeps the grant after status %i with %j', async (status, body, thrown) => {
    answer = () => ({ status, body });
    await expect(renewIfDue(signIn().token)).rejects.toMatchObject({ status: thrown });
    expect(storedCredential()?.grant).toBeDefined();
  });

  it.each(['invalid_grant', 'invalid_client', 'unauthorized_client'])('drops the grant after %s', async (error) => {
    answer = () => ({ status: 400, body: { error } });
    const { token } = signIn();
    await renewIfDue(token);
    expect(storedCredential()).toMatchObject({ token });
    expect(storedCredential()?.grant).toBeUndefined();
  });
});
