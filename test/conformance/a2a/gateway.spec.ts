import { generateKeyPairSync } from 'node:crypto';
import { Crash, MemoryJournal } from '../../../src/agent/testing/memory-journal.js';
import { TestRun, type TestRunOptions, userMessage } from '../../../src/agent/testing/test-run.js';
import { remoteAgentFor } from '../../../src/agent/adapters/testing/remote-runs.js';
import { textOf } from '../../../src/events/index.js';
import { A2aSdkServer, ASKING, type SdkVersion } from '../../support/a2a-sdk-server.js';
import { loopbackServer } from '../../support/loopback-server.js';
import { startServer } from '../../support/server.js';

/** How a run ends: its texts, or the code of its error. */
async function ended(url: string, more: object = {}, options: TestRunOptions = {}): Promise<unknown> {
  const agent = remoteAgentFor({ type: 'a2a', url, ...more });
  const run = new TestRun(options);
  try {
    const outcome = await run.drive(agent);
    return outcome.kind === 'completed' ? run.messages.map(textOf) : outcome.kind;
  } catch (error) {
    return (error as { readonly code?: string }).code ?? error;
  } finally {
    await agent.close();
  }
}

/** Runs until the process dies with the message sent and nothing known of it, and goes on in another one. */
async function inDoubt(url: string, more: object = {}, options: TestRunOptions = {}): Promise<unknown> {
  const journal = new MemoryJournal([], 1);
  const agent = remoteAgentFor({ type: 'a2a', url, ...more });
  await expect(new TestRun({ ...options, journal }).drive(agent)).rejects.toBeInstanceOf(Crash);
  await agent.close();
  return ended(url, more, { ...options, journal: new MemoryJournal(journal.writes), attempt: 2 });
}

/** A conversation whose last exchange was with an agent. */
async function conversation(url: string, question: string): Promise<TestRunOptions> {
  const agent = remoteAgentFor({ type: 'a2a', url });
  const run = new TestRun({ input: [userMessage(question)] });
  await run.drive(agent);
  await agent.close();
  return {
    history: [...run.context.input, ...run.messages],
    input: [userMessage('Again')],
    providerStates: run.states,
  };
}

/** The gateway in front of the official servers of both versions, and of another Parley (contract a2a, section 15). */
describe('a remote agent of the official A2A server', () => {
  let server: A2aSdkServer;
  afterEach(() => server?.close());

  it.each(['1.0', '0.3'] as const)('answers (version %s)', async (version) => {
    server = await A2aSdkServer.start(version);
    expect(await ended(server.url)).toEqual(['Hello.']);
  });

  it('is asked for its tasks about a message in doubt, which is not sent again', async () => {
    server = await A2aSdkServer.start('1.0');
    expect(await ended(server.url)).toEqual(['Hello.']);
    expect(await inDoubt(server.url)).toEqual(['Hello.']);
    expect(server.methods.slice(1)).toEqual(['SendStreamingMessage', 'ListTasks', 'SubscribeToTask', 'GetTask']);
    const asked = server.calls.find(({ method }) => method === 'ListTasks');
    expect(asked?.params).toEqual({
      statusTimestampAfter: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      pageSize: 20,
      historyLength: 20,
    });
  });

  it('is asked for the tasks of the context of a message in doubt', async () => {
    server = await A2aSdkServer.start('1.0');
    const before = await conversation(server.url, 'Hello');
    expect(await inDoubt(server.url, {}, before)).toEqual(['Hello.']);
    const asked = server.calls.find(({ method }) => method === 'ListTasks');
    expect(asked?.params).toEqual({ contextId: expect.any(String) as string, pageSize: 20, historyLength: 20 });
    expect(server.methods.filter((method) => method === 'SendStreamingMessage')).toHaveLength(2);
  });

  it('that has not got a message in doubt does not get it, unless that is configured', async () => {
    server = await A2aSdkServer.start('1.0');
    server.isLossy = true;
    expect(await inDoubt(server.url)).toBe('UPSTREAM_IN_DOUBT');
    expect(server.methods).toEqual(['SendStreamingMessage', 'ListTasks']);
    const before = server.calls.length;
    const agent = remoteAgentFor({ type: 'a2a', url: server.url, onDoubt: 'resend' });
    const journal = new MemoryJournal([], 1);
    await expect(new TestRun({ journal }).drive(agent)).rejects.toBeInstanceOf(Crash);
    await agent.close();
    server.isLossy = false;
    const options = { journal: new MemoryJournal(journal.writes), attempt: 2 };
    expect(await ended(server.url, { onDoubt: 'resend' }, options)).toEqual(['Hello.']);
    expect(server.methods.slice(before).at(-1)).toBe('SendStreamingMessage');
  });

  it.each([
    ['1.0', 'GetTask'],
    ['0.3', 'tasks/get'],
  ] as const)('is asked for the task about an answer in doubt (version %s)', async (version, method) => {
    server = await A2aSdkServer.start(version);
    const agent = remoteAgentFor({ type: 'a2a', url: server.url });
    const asking = { input: [userMessage(ASKING)], interrupt: () => Promise.resolve('Yes.') };
    const whole = new TestRun(asking);
    await whole.drive(agent);
    const sent = whole.journal.writes.findIndex(({ key, output }) => key === 'remote:1:open' && !output) + 1;
    const journal = new MemoryJournal([], sent);
    server.calls.length = 0;
    await expect(new TestRun({ ...asking, journal }).drive(agent)).rejects.toBeInstanceOf(Crash);
    const second = new TestRun({ ...asking, journal: new MemoryJournal(journal.writes), attempt: 2 });
    await second.drive(agent);
    expect(second.messages.map(textOf)).toEqual(['Hello.']);
    expect(server.methods.filter((name) => /message/i.test(name))).toHaveLength(2);
    expect(server.calls.find((one) => one.method === method)?.params).toMatchObject({ historyLength: 20 });
    await agent.close();
  });

  it('of version 0.3 has no list: a new message in doubt stays in doubt', async () => {
    server = await A2aSdkServer.start('0.3');
    expect(await inDoubt(server.url)).toBe('UPSTREAM_IN_DOUBT');
    expect(server.methods).toEqual(['message/stream']);
    expect(await inDoubt(server.url, { onDoubt: 'resend' })).toEqual(['Hello.']);
  });

  it.each([
    ['1.0', 'a2a-extensions'],
    ['0.3', 'x-a2a-extensions'],
  ] as [SdkVersion, string][])(
    'is asked for the extensions that are configured (version %s)',
    async (version, name) => {
      server = await A2aSdkServer.start(version);
      const extensions = ['https://a.example/one', 'urn:b:two'];
      expect(await ended(server.url, { extensions })).toEqual(['Hello.']);
      expect(server.calls.map(({ headers }) => headers[name])).toEqual(['https://a.example/one, urn:b:two']);
    },
  );

  it.each([
    ['a key', 'jwk'],
    ['a key in PEM', 'pem'],
    ['an address of keys', 'address'],
  ])('has a card whose signature is checked with %s', async (_, form) => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'k1' };
    const header = { alg: 'ES256', typ: 'JOSE', kid: 'k1' };
    server = await A2aSdkServer.start('1.0', { signing: [privateKey, header], description: 'Grüße 👋' });
    const keys = await loopbackServer((request, response) => {
      expect(request.headers).not.toHaveProperty('authorization');
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: [jwk] }));
    });
    const [right, wrong] = {
      jwk: [jwk, { ...other.export({ format: 'jwk' }), kid: 'k1' }],
      pem: [publicKey, other].map((key) => key.export({ format: 'pem', type: 'spki' }).toString()),
      address: [keys.url, { keys: [] }],
    }[form] as [unknown, unknown];
    const headers = { authorization: 'Bearer of-the-test' };
    expect(await ended(server.url, { verify: right, headers })).toEqual(['Hello.']);
    if (form !== 'address') expect(await ended(server.url, { verify: wrong })).toBe('UPSTREAM_PROTOCOL_ERROR');
    await keys.close();
  });

  it('without a signature does not count if one must hold', async () => {
    server = await A2aSdkServer.start('1.0');
    const { publicKey } = generateKeyPairSync('ed25519');
    expect(await ended(server.url, { verify: { ...publicKey.export({ format: 'jwk' }) } })).toBe(
      'UPSTREAM_PROTOCOL_ERROR',
    );
    expect(server.calls).toEqual([]);
  });

  it('that is another Parley has a card whose signature is checked with its published keys', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = JSON.stringify({ ...privateKey.export({ format: 'jwk' }), kid: 'k1' });
    const parley = await startServer({ env: { A2A_CARD_SIGNING_KEY: key } });
    const other = await startServer();
    server = await A2aSdkServer.start('1.0');
    const url = `${parley.url}/a2a`;
    expect(await ended(url, { verify: `${parley.url}/a2a/jwks.json` })).toEqual([expect.any(String)]);
    expect(await ended(`${other.url}/a2a`, { verify: `${parley.url}/a2a/jwks.json` })).toBe('UPSTREAM_PROTOCOL_ERROR');
    // Found, not sent again.
    expect(await inDoubt(url)).toEqual([expect.any(String)]);
    await parley.close();
    await other.close();
  });
});
