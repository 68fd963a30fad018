import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { ProviderHttp } from '../../src/access/oidc/provider-http.js';
import { readSettings } from '../../src/config/index.js';
import { OutgoingHttp, OutgoingSettings } from '../../src/outgoing/index.js';
import { selfSigned } from '../support/self-signed.js';
import { listenOnLoopback } from '../support/loopback-server.js';

const HOST = 'keys.test';
const LIMITS = { timeoutMs: 5000, maxBytes: 1000 };
const LOCAL: LookupAddress = { address: '127.0.0.1', family: 4 };
const PRIVATE: LookupAddress = { address: '10.255.255.1', family: 4 };

describe("the server's own requests", () => {
  const pair = selfSigned(HOST);
  let server: Server;
  let base: string;
  let connections = 0;
  let paths: string[] = [];
  let respond: (response: ServerResponse) => void;
  /** What names are resolved to, one list after the other; the last one stays. */
  let answers: LookupAddress[][];
  let resolutions: string[];
  let http: OutgoingHttp;

  beforeAll(async () => {
    server = createServer({ key: pair.key, cert: pair.cert }, (request: IncomingMessage, response) => {
      paths.push(request.url ?? '');
      respond(response);
    });
    server.on('connection', () => (connections += 1));
    await listenOnLoopback(server);
    base = `https://${HOST}:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    [connections, paths, resolutions] = [0, [], []];
    respond = (response) => response.end('{"keys":[]}');
  });
  afterEach(() => http.onApplicationShutdown());
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  function open(allowed: string, ...lists: LookupAddress[][]): void {
    answers = lists;
    http = new OutgoingHttp(readSettings(OutgoingSettings, allowed === '' ? {} : { OUTGOING_ALLOWED: allowed }), {
      ca: pair.cert,
      resolve: (host, done) => {
        resolutions.push(host);
        const [list = []] = answers.length > 1 ? answers.splice(0, 1) : answers;
        done(null, list);
      },
    });
  }

  it('a name with a private address is refused before anything is connected', async () => {
    open('', [LOCAL]);
    await expect(http.send(`${base}/a`, LIMITS)).rejects.toThrow('OUTGOING_ALLOWED does not name it');
    expect(connections).toBe(0);
  });

  it.each([[HOST], ['127.0.0.0/8']])('it is permitted by OUTGOING_ALLOWED=%s', async (allowed) => {
    open(allowed, [LOCAL]);
    const { status, body } = await http.send(`${base}/a`, LIMITS);
    expect([status, body.toString()]).toEqual([200, '{"keys":[]}']);
  });

  it('a name is resolved once, and what was checked is what is connected to', async () => {
    open('127.0.0.0/8', [LOCAL], [PRIVATE]);
    expect((await http.send(`${base}/a`, LIMITS)).status).toBe(200);
    expect(resolutions).toEqual([HOST]);
    expect(connections).toBe(1);
  });

  it('of several addresses only the permitted ones are connected to', async () => {
    open('127.0.0.0/8', [PRIVATE, LOCAL, { address: 'fe80::1', family: 6 }]);
    expect((await http.send(`${base}/a`, LIMITS)).status).toBe(200);
    expect(connections).toBe(1);
  });

  it.each([
    'https://10.0.0.1/',
    'https://169.254.169.254/latest/meta-data',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[fd00::1]/',
    'https://0/',
  ])('%s is refused without a connection', async (address) => {
    open('', []);
    await expect(http.send(address, LIMITS)).rejects.toThrow('OUTGOING_ALLOWED');
    expect(resolutions).toEqual([]);
  });

  it.each(['http://keys.test/', 'http://10.0.0.1/', 'ftp://keys.test/', 'file:///etc/passwd'])(
    '%s is refused: it is not https',
    async (address) => {
      open(HOST, [LOCAL]);
      await expect(http.send(address, LIMITS)).rejects.toThrow('is not an https:// address');
    },
  );

  it('a redirect is not followed', async () => {
    open(HOST, [LOCAL]);
    respond = (response) => response.writeHead(302, { location: '/b' }).end();
    const { status, headers } = await http.send(`${base}/a`, LIMITS);
    expect([status, headers['location'], paths]).toEqual([302, '/b', ['/a']]);
  });

  it('an answer that is too long is given up', async () => {
    open(HOST, [LOCAL]);
    respond = (response) => response.end('x'.repeat(100_000));
    await expect(http.send(`${base}/a`, LIMITS)).rejects.toThrow('answers with more than 1000 bytes');
  });

  it.each([
    ['that never begins', (): undefined => undefined],
    ['that never ends', (response: ServerResponse) => response.write('x')],
  ])('an answer %s is given up', async (_, given) => {
    open(HOST, [LOCAL]);
    respond = given;
    await expect(http.send(`${base}/a`, { ...LIMITS, timeoutMs: 300 })).rejects.toThrow(/time/i);
  });

  it('a name that is not resolved in time is given up', async () => {
    http = new OutgoingHttp(readSettings(OutgoingSettings, {}), { resolve: () => undefined });
    await expect(http.send(`${base}/a`, { ...LIMITS, timeoutMs: 300 })).rejects.toThrow(/time/i);
  });

  describe('for an OpenID provider', () => {
    it.each(['https://issuer.test', 'http://127.0.0.1:1'])(
      'whose keys have a private address under a public name: refused on behalf of %s',
      async (issuer) => {
        open('', [LOCAL]);
        await expect(new ProviderHttp(http).json(`${base}/jwks`, issuer)).rejects.toThrow('OUTGOING_ALLOWED');
        expect(connections).toBe(0);
      },
    );

    it('on a private network that OUTGOING_ALLOWED names: read', async () => {
      open(HOST, [LOCAL]);
      expect(await new ProviderHttp(http).json(`${base}/jwks`, base)).toEqual({ keys: [] });
    });

    it('that redirects: refused', async () => {
      open(HOST, [LOCAL]);
      respond = (response) => response.writeHead(307, { location: 'https://10.0.0.1/' }).end();
      await expect(new ProviderHttp(http).json(`${base}/jwks`, base)).rejects.toThrow('answers with the status 307');
    });
  });
});
