import { EnvironmentProxies } from './environment-proxies.js';
import { StartupError } from './startup-error.js';

const P = 'http://proxy.test:3128';
const originFor = (url: string, env: NodeJS.ProcessEnv): string | undefined =>
  new EnvironmentProxies(env).for(new URL(url))?.origin;

describe('EnvironmentProxies', () => {
  it.each<[NodeJS.ProcessEnv, string | undefined, string | undefined]>([
    [{}, undefined, undefined],
    [{ HTTP_PROXY: P }, P, P],
    [{ http_proxy: P }, P, P],
    [{ HTTPS_PROXY: P }, undefined, P],
    [{ https_proxy: P }, undefined, P],
    [{ ALL_PROXY: P }, P, P],
    [{ all_proxy: P }, P, P],
    [{ HTTP_PROXY: 'http://a.test:1', HTTPS_PROXY: P, ALL_PROXY: 'http://b.test:1' }, 'http://a.test:1', P],
    [{ http_proxy: P, HTTP_PROXY: 'http://a.test:1' }, P, P],
    [{ http_proxy: '', HTTP_PROXY: P }, P, P],
    [{ http_proxy: ' ', HTTP_PROXY: '', ALL_PROXY: P }, P, P],
    [{ HTTP_PROXY: 'proxy.test:3128' }, P, P],
    [{ HTTP_PROXY: '10.0.0.1:3128' }, 'http://10.0.0.1:3128', 'http://10.0.0.1:3128'],
    [{ HTTP_PROXY: 'proxy.test' }, 'http://proxy.test', 'http://proxy.test'],
    [{ HTTP_PROXY: 'HTTPS://proxy.test/' }, 'https://proxy.test', 'https://proxy.test'],
  ])('%j names the proxies %s and %s for http and https', (env, http, https) => {
    expect([originFor('http://model.test/v1', env), originFor('https://model.test/v1', env)]).toEqual([http, https]);
  });

  it.each([
    ['http://us%40er:p%3Ass@proxy.test:3128', 'us@er:p:ss'],
    ['user:pass@proxy.test:3128', 'user:pass'],
    ['http://token@proxy.test:3128', 'token:'],
    ['http://token:@proxy.test:3128', 'token:'],
    ['http://:secret@proxy.test:3128', ':secret'],
  ])('the credentials of %s are %s', (text, credentials) => {
    const proxy = new EnvironmentProxies({ HTTP_PROXY: text }).for(new URL('http://model.test'));
    expect(proxy).toEqual({ origin: P, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` });
  });

  it.each([
    ['socks4://secret.test:1080', 'a text of 25 characters that begins with socks4://'],
    ['socks5h://secret.test', 'a text of 21 characters that begins with socks5h://'],
    ['http://', 'a text of 7 characters that begins with http://'],
    ['http://%zz@secret.test', 'a text of 22 characters that begins with http://'],
    ['secret test', 'a text of 11 characters'],
    ['secret.test:port', 'a text of 16 characters'],
  ])('%s is refused by the name of its variable', (text, shown) => {
    const proxies = new EnvironmentProxies({ HTTPS_PROXY: text });
    expect(() => proxies.for(new URL('https://model.test'))).toThrow(
      new StartupError(
        `HTTPS_PROXY must be the address of an HTTP proxy, such as http://proxy.example:3128, but is ${shown}`,
      ),
    );
    // It is not needed for these.
    expect(proxies.for(new URL('http://model.test'))).toBeUndefined();
    expect(proxies.for(new URL('https://localhost'))).toBeUndefined();
  });

  it.each([
    ['model.test', 'http://model.test', true],
    ['MODEL.test', 'http://a.model.test.:8080', true],
    ['.model.test', 'http://model.test', true],
    ['*.model.test', 'http://a.model.test', true],
    ['odel.test', 'http://model.test', false],
    ['other.test, model.test', 'https://model.test', true],
    ['other.test model.test', 'https://model.test', true],
    ['model.test:8080', 'http://model.test:8080', true],
    ['model.test:443', 'https://model.test', true],
    ['model.test:8080', 'http://model.test', false],
    ['*', 'http://model.test', true],
    [' * ', 'http://model.test', true],
    ['localhost,*', 'http://model.test', true],
    ['10.0.0.0/8', 'http://10.2.3.4', true],
    ['10.0.0.0/8', 'http://11.2.3.4', false],
    ['10.0.0.0/99', 'http://10.2.3.4', false],
    ['10.2.3.4', 'http://10.2.3.4:9', true],
    ['10.2.3.4:9', 'http://10.2.3.4:9', true],
    ['fd00::/8', 'http://[fd00::1]', true],
    ['fd00:0::1', 'http://[fd00::1]', true],
    ['[fd00::1]:80', 'http://[fd00::1]', true],
    ['[fd00::1]:81', 'http://[fd00::1]', false],
    ['.', 'http://model.test', false],
    ['', 'http://localhost:1234', true],
    ['', 'http://127.0.0.2', true],
    ['', 'http://[::1]:1234', true],
    ['', 'http://128.0.0.1', false],
  ])('NO_PROXY=%j excludes %s: %s', (list, url, isExcluded) => {
    for (const name of ['NO_PROXY', 'no_proxy']) {
      expect(originFor(url, { ALL_PROXY: P, [name]: list })).toBe(isExcluded ? undefined : P);
    }
    expect(originFor(url, { ALL_PROXY: P, no_proxy: '', NO_PROXY: list })).toBe(isExcluded ? undefined : P);
  });
});
