import { getEventListeners } from 'node:events';
import { until } from '../../../../test/support/until.js';
import { StartupError } from '../../../common/index.js';
import { collect, failureOf, request } from '../testing/collect.js';
import { begin, end, rawUpstream, type RawUpstream } from '../testing/raw-upstream.js';
import { smallProxy, type SmallProxy } from '../testing/small-proxy.js';
import { clientFor, expectError, waits } from '../testing/upstream-client.js';
import type { ChatCompletionsModelClient } from './chat-completions-model-client.js';

const saved = { ...process.env };
let proxy: SmallProxy;
let upstream: RawUpstream;
let client: ChatCompletionsModelClient | undefined;
/** The upstream under a name that is not of this machine. */
let target: string;

beforeEach(async () => {
  waits.length = 0;
  for (const name of ['http', 'https', 'all', 'no'].map((kind) => `${kind}_proxy`)) {
    delete process.env[name];
    delete process.env[name.toUpperCase()];
  }
  proxy = await smallProxy();
  upstream = await rawUpstream((response) => (begin(response, { content: 'ok' }), end(response)));
  target = `model.test:${new URL(upstream.url).port}`;
});
afterEach(async () => {
  process.env = { ...saved };
  await client?.onApplicationShutdown();
  await proxy.close();
  await upstream.close();
});

const use = (env: Record<string, string>, url = `http://${target}/v1`, maxRetries = 0): ChatCompletionsModelClient => {
  Object.assign(process.env, env);
  return (client = clientFor(url, { maxRetries }));
};
const proxied = (): string => `http://${proxy.address}`;

describe('the proxy of the environment', () => {
  it('requests to http:// hosts are forwarded over one connection', async () => {
    const used = use({ http_proxy: proxied() }, `http://${target}/v1/?api-version=1`);
    for (let call = 0; call < 3; call += 1) expect((await collect(used, request('hi'))).text).toBe('ok');
    const url = `http://${target}/v1/chat/completions?api-version=1`;
    expect(proxy.asked).toEqual(Array(3).fill({ method: 'POST', target: url, authorization: undefined, host: target }));
    expect(upstream.seen).toHaveLength(3);
  });

  it.each(['HTTP_PROXY', 'all_proxy', 'ALL_PROXY'])('%s names the proxy, also without a scheme', async (name) => {
    expect((await collect(use({ [name]: proxy.address }), request('hi'))).text).toBe('ok');
    expect(proxy.asked).toHaveLength(1);
  });

  it.each([
    ['user:pa%3Ass', 'user:pa:ss'],
    ['token', 'token:'],
    ['token:', 'token:'],
  ])('the credentials %s are sent to the proxy', async (written, credentials) => {
    const env = { HTTP_PROXY: `http://${written}@${proxy.address}`, HTTPS_PROXY: `${written}@${proxy.address}` };
    await collect(use(env), request('hi'));
    proxy.refusals.push(403);
    await failureOf(use(env, 'https://model.test/v1'), request('hi'));
    const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
    expect(proxy.asked.map((asked) => asked.authorization)).toEqual([authorization, authorization]);
  });

  it.each(['https_proxy', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy'])(
    'a tunnel to https:// hosts is requested from the proxy that %s names',
    async (name) => {
      // The upstream does not speak TLS.
      const { error } = await failureOf(use({ [name]: proxied() }, `https://${target}/v1`), request('hi'));
      expectError(error, 'MODEL_EXECUTION_FAILED');
      expect(proxy.asked).toEqual([{ method: 'CONNECT', target, authorization: undefined, host: target }]);
    },
  );

  it.each([403, 407])('a tunnel that the proxy refuses with %i is reported, without a retry', async (status) => {
    proxy.refusals.push(status);
    const { error } = await failureOf(use({ HTTPS_PROXY: proxied() }, 'https://model.test/v1', 2), request('hi'));
    expect(expectError(error, 'MODEL_EXECUTION_FAILED').message).toBe(
      `The proxy refused the connection with status ${status}`,
    );
    expect(proxy.asked.map((asked) => asked.target)).toEqual(['model.test:443']);
  });

  it('a tunnel that the proxy cannot open is requested again after its Retry-After', async () => {
    proxy.refusals.push(503, 503, 502);
    const { error } = await failureOf(use({ HTTPS_PROXY: proxied() }, 'https://model.test/v1', 2), request('hi'));
    expect(expectError(error, 'MODEL_EXECUTION_FAILED').message).toContain('with status 502');
    expect(proxy.asked).toHaveLength(3);
    expect(waits).toEqual([3000, 3000]);
  });

  it('a forwarded request that the proxy does not authenticate is reported as its refusal', async () => {
    proxy.refusals.push(407);
    const { error } = await failureOf(use({ HTTP_PROXY: proxied() }), request('hi'));
    expect(expectError(error, 'MODEL_EXECUTION_FAILED').message).toContain('The proxy refused');
  });

  it('a call whose tunnel is not opened in time fails', async () => {
    proxy.refusals.push('never');
    Object.assign(process.env, { HTTPS_PROXY: proxied() });
    client = clientFor('https://model.test/v1', { maxRetries: 0, firstTokenTimeoutMs: 60 });
    expectError((await failureOf(client, request('hi'))).error, 'MODEL_TIMEOUT');
    await until(() => proxy.asked.length === 1, 'the tunnel was requested');
  });

  it.each(['model.test', '*', 'localhost, * '])(
    'no proxy is used for a host that NO_PROXY=%s excludes',
    async (list) => {
      const used = use({ HTTP_PROXY: proxied(), NO_PROXY: list, no_proxy: '' }, 'http://model.test:9/v1');
      expectError((await failureOf(used, request('hi'))).error, 'MODEL_EXECUTION_FAILED');
      expect(proxy.asked).toEqual([]);
    },
  );

  it('no proxy is used for this machine', async () => {
    const used = use({ HTTP_PROXY: proxied() }, upstream.url);
    expect((await collect(used, request('hi'))).text).toBe('ok');
    await used.onApplicationShutdown();
    const named = use({}, upstream.url.replace('127.0.0.1', 'localhost'));
    expect((await collect(named, request('hi'))).text).toBe('ok');
    expect(proxy.asked).toEqual([]);
  });

  it('a client is not made with a proxy that it cannot use', () => {
    expect(() => use({ HTTP_PROXY: 'socks4://127.0.0.1:1' })).toThrow(StartupError);
    expect(() => use({}, upstream.url)).not.toThrow();
  });

  it('a call that cannot be sent leaves no time-out and no listener behind', async () => {
    const used = use({}, 'http://model.test/v1');
    process.env['HTTP_PROXY'] = 'socks4://127.0.0.1:1';
    const { signal } = new AbortController();
    const timers = jest.spyOn(global, 'setTimeout');
    expectError((await failureOf(used, request('hi'), signal)).error, 'MODEL_EXECUTION_FAILED');
    expect(timers).not.toHaveBeenCalled();
    timers.mockRestore();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('a redirect to a host whose proxy cannot be used fails the call', async () => {
    const { url, close } = await rawUpstream((response) =>
      response.writeHead(307, { location: 'https://model.test/v1' }).end(),
    );
    const { error } = await failureOf(use({ HTTPS_PROXY: 'socks4://127.0.0.1:1' }, url), request('hi'));
    expectError(error, 'MODEL_EXECUTION_FAILED');
    await close();
  });
});
