import { smallProxy, type SmallProxy } from '../../src/agent/adapters/testing/small-proxy.js';
import { readSettings } from '../../src/config/index.js';
import { OutgoingHttp, OutgoingSettings } from '../../src/outgoing/index.js';
import { ProviderHttp } from '../../src/access/oidc/provider-http.js';

const ADDRESS = 'https://issuer.test/.well-known/openid-configuration';

describe('reading from an OpenID provider behind a proxy', () => {
  const { HTTPS_PROXY, NO_PROXY } = process.env;
  let proxy: SmallProxy;
  let outgoing: OutgoingHttp;
  let http: ProviderHttp;

  function open(): void {
    outgoing = new OutgoingHttp(readSettings(OutgoingSettings, {}));
    http = new ProviderHttp(outgoing);
  }

  beforeAll(async () => (proxy = await smallProxy()));
  beforeEach(() => open());
  afterEach(async () => {
    await outgoing.onApplicationShutdown();
    for (const [name, value] of Object.entries({ HTTPS_PROXY, NO_PROXY })) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
  afterAll(() => proxy.close());

  it('a tunnel is asked for, with the credentials, also if the variable has no scheme', async () => {
    process.env['HTTPS_PROXY'] = `token@${proxy.address}`;
    open();
    proxy.refusals.push(403);
    await expect(http.json(ADDRESS, ADDRESS)).rejects.toThrow('403');
    const authorization = `Basic ${Buffer.from('token:').toString('base64')}`;
    expect(proxy.asked[0]).toMatchObject({ method: 'CONNECT', target: 'issuer.test:443', authorization });
  });

  it('a proxy that does not answer is given up', async () => {
    process.env['HTTPS_PROXY'] = proxy.address;
    open();
    proxy.refusals.push('never');
    await expect(http.json(ADDRESS, ADDRESS)).rejects.toThrow(/time/i);
  });

  it('a proxy that cannot be used is named', async () => {
    process.env['HTTPS_PROXY'] = 'socks5://proxy.test:1080';
    open();
    await expect(http.json(ADDRESS, ADDRESS)).rejects.toThrow('HTTPS_PROXY');
  });
});
