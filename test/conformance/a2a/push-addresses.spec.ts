import dns from 'node:dns';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { A2aClient, saying } from '../../support/a2a.js';
import { startServer, type TestServer } from '../../support/server.js';
import { until } from '../../support/until.js';

/** Special addresses of IPv4: private, loopback, link-local, shared, documentation, benchmarks, multicast, reserved. */
const IPV4 = [
  ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '10.255.255.255', '100.64.0.1', '100.127.255.254', '127.0.0.1', '127.0.0.2'],
  ...['127.255.255.254', '169.254.0.1', '169.254.169.254', '172.16.0.1', '172.31.255.255', '192.0.0.1', '192.0.0.192'],
  ...['192.0.2.1', '192.88.99.1', '192.168.0.1', '192.168.255.255', '198.18.0.1', '198.19.255.255', '198.51.100.1'],
  ...['203.0.113.1', '224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255'],
];

/** Special addresses of IPv6, and those that carry one of IPv4: mapped, compatible, translated, 6to4, Teredo. */
const IPV6 = [
  ...[
    '::',
    '::1',
    '0:0:0:0:0:0:0:1',
    '::2',
    'fc00::1',
    'fd00::1',
    'fd12:3456:789a::1',
    'fe80::1',
    'febf::1',
    'fec0::1',
  ],
  ...['ff01::1', 'ff02::1', 'ff05::2', '100::1', '2001::1', '2001:10::1', '2001:20::1', '2001:db8::1', '3fff::1'],
  ...['::ffff:127.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:169.254.169.254'],
  ...['::ffff:a9fe:a9fe', '::ffff:192.168.0.1', '::127.0.0.1', '::7f00:1', '::10.0.0.1', '::ffff:0:127.0.0.1'],
  ...['64:ff9b::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe', '64:ff9b:1::127.0.0.1', '2002:7f00:1::'],
  ...['2002:a9fe:a9fe::1', '2001:0:7f00:1::', '2001:0:0:0:0:0:80ff:fffe', '4000::1', '8000::1', 'fe00::1'],
];

/** Other spellings of addresses of IPv4, which clients of URLs take for the same. */
function spellings(address: string): readonly string[] {
  const parts = address.split('.').map(Number);
  const number = parts.reduce((sum, part) => sum * 256 + part, 0);
  const [a = 0, b = 0, c = 0, d = 0] = parts;
  return [
    String(number),
    `0x${number.toString(16)}`,
    `0${number.toString(8)}`,
    parts.map((part) => `0x${part.toString(16)}`).join('.'),
    parts.map((part) => `0${part.toString(8)}`).join('.'),
    `${a}.${b * 65536 + c * 256 + d}`,
    `0x${a.toString(16)}.${b}.${c * 256 + d}`,
    `${address}.`,
    [...address].map((one) => (/\d/.test(one) ? String.fromCodePoint(0xff10 + Number(one)) : '\u3002')).join(''),
    address.replaceAll('.', '%2e'),
  ];
}

/** Names that resolve to addresses of this machine or of private networks, and spellings of them. */
const NAMES = [
  ...['localhost', 'LOCALHOST', 'localhost.', 'localhost.localdomain', 'ip6-localhost', 'a.localhost', 'private.test'],
  ...['127.0.0.1.nip.test', 'metadata.google.internal', 'both-private.test', 'mapped.test', 'translated.test'],
];

const RESOLVED: Readonly<Record<string, readonly string[]>> = {
  'private.test': ['10.0.0.1'],
  '127.0.0.1.nip.test': ['127.0.0.1'],
  'metadata.google.internal': ['169.254.169.254'],
  'both-private.test': ['127.0.0.1', '::1'],
  'mapped.test': ['::ffff:127.0.0.1'],
  'translated.test': ['64:ff9b::7f00:1'],
  'public.test': ['93.184.216.34'],
};

/** What no list of hosts lets through. */
const ODD = [
  ...['http://example.org/', 'ftp://example.org/', 'file:///etc/passwd', 'gopher://127.0.0.1/', 'unix:/var/run/x'],
  ...['data:text/plain,x', 'javascript:1', 'https://', 'https:', '//127.0.0.1/', '/hook', 'nothing', 'https://a b/'],
  ...['https://public.test@127.0.0.1/', 'https://user:word@public.test/', 'https://public.test/#x'],
  ...['https://public.test#@127.0.0.1/', 'https://[::1', 'https://[fe80::1%25eth0]/', 'https://999.1.1.1/'],
];

/** Nothing private is called back, however it is written (contract a2a, section 10). */
describe('addresses of push notifications', () => {
  let local: Server;
  let server: TestServer;
  let client: A2aClient;
  let taskId: string;
  let connections = 0;
  /** What a name resolves to. */
  let addressesOf: (host: string) => readonly string[];

  beforeAll(async () => {
    local = createServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(0, '::');
    await once(local, 'listening');
    server = await startServer({ env: { A2A_PUSH_HOSTS: '*:*' } });
    client = new A2aClient(server, { 'a2a-version': '1.0' });
    taskId = (await client.send(saying('Who are you?'))).id;
    jest.spyOn(dns, 'lookup').mockImplementation(((
      host: string,
      _options: unknown,
      done: (error: null, addresses: readonly dns.LookupAddress[]) => void,
    ) => {
      const addresses = addressesOf(host).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
      done(null, addresses);
    }) as never);
  });
  beforeEach(() => {
    connections = 0;
    addressesOf = (host): readonly string[] => RESOLVED[host.toLowerCase()] ?? ['127.0.0.1', '::1'];
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await server.close();
    local.close();
  });

  const port = (): number => (local.address() as AddressInfo).port;
  const create = (url: string): ReturnType<A2aClient['rpc']> =>
    client.rpc('CreateTaskPushNotificationConfig', { taskId, url });

  it('are refused at their creation: 200 spellings of private ones', async () => {
    const hosts = [
      ...IPV4,
      ...IPV6.map((one) => `[${one}]`),
      ...['127.0.0.1', '169.254.169.254', '10.0.0.1', '192.168.0.1', '172.16.0.1', '0.0.0.0'].flatMap(spellings),
      ...['127.1', '127.0.1', '0', '0x0', '0x7f.1', '0177.1', '[::FFFF:127.0.0.1]', '[::ffff:7F00:0001]'],
      ...NAMES,
    ];
    const addresses = [
      ...hosts.flatMap((host, index) => [
        `https://${host}:${port()}/`,
        ...(index % 3 === 0 ? [`HTTPS://${host}:${port()}\\@public.test/`] : []),
      ]),
      ...ODD,
    ];
    expect(addresses.length).toBeGreaterThanOrEqual(200);
    const taken: string[] = [];
    for (const url of addresses) if ((await create(url)).error?.code !== -32602) taken.push(url);
    expect(taken).toEqual([]);
    expect((await client.rpc('ListTaskPushNotificationConfigs', { taskId })).result).toEqual({
      configs: [],
      nextPageToken: '',
    });
    expect(connections).toBe(0);
  });

  it('are refused with the message that would begin the task, which then does not begin', async () => {
    const configuration = { taskPushNotificationConfig: { url: `https://127.0.0.1:${port()}/` } };
    const params = { ...saying('Who are you?', { contextId: 'refused' }), configuration };
    expect((await client.rpc('SendMessage', params)).error?.code).toBe(-32602);
    const streamed = await client.rest('POST', '/message:stream', params);
    expect(streamed.status).toBe(400);
    expect((await client.rpc('ListTasks', { contextId: 'refused' })).result?.totalSize).toBe(0);
  });

  it('are not connected to when their name resolves to this machine afterwards', async () => {
    let resolutions = 0;
    addressesOf = (): readonly string[] => ((resolutions += 1) === 1 ? ['93.184.216.34'] : ['127.0.0.1', '::1']);
    const configuration = { taskPushNotificationConfig: { url: `https://rebound.test:${port()}/` } };
    const task = await client.send({ ...saying('Who are you?'), configuration });
    await until(() => resolutions > 1);
    const { result } = await client.rpc('ListTaskPushNotificationConfigs', { taskId: task.id });
    expect(result).toMatchObject({ configs: [{ url: `https://rebound.test:${port()}/` }] });
    expect(connections).toBe(0);
  });
});
