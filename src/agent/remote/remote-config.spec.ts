import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '../../config/index.js';
import { readRemoteAgents, type RemoteAgentsReading } from './remote-config.js';
import { RemoteSettings } from './remote.settings.js';

const AGENT = { type: 'a2a', url: 'https://a.example' };
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const PUBLIC_JWK = { ...publicKey.export({ format: 'jwk' }) };
const PRIVATE_JWK = { ...privateKey.export({ format: 'jwk' }) };
const TRAVEL = { type: 'responses', url: 'https://travel.example/v1' };

function read(travel: object, env: NodeJS.ProcessEnv = {}): RemoteAgentsReading {
  return readRemoteAgents({ json: JSON.stringify({ agents: { travel } }), file: undefined, env });
}

const problemsOf = (travel: object): string =>
  read(travel)
    .problems.map(({ message }) => message)
    .join('\n');

describe('the configuration of remote agents', () => {
  it('an entry has the defaults of the contract', () => {
    const { agents, problems } = read(TRAVEL);
    expect(problems).toEqual([]);
    expect(agents).toEqual([
      expect.objectContaining({
        name: 'travel',
        exposure: 'public',
        confirm: false,
        required: false,
        forwardHeaders: [],
        user: 'hashed',
        history: 'send',
        background: 'auto',
        onDoubt: 'fail',
        clientTools: 'pass',
        files: 'inline',
        connectTimeoutMs: 10_000,
        firstEventMs: 60_000,
        idleMs: 60_000,
        reattachForMs: 60_000,
        maxConcurrent: 32,
        maxEventBytes: 4 * 1024 * 1024,
        maxBytes: 32 * 1024 * 1024,
        maxEvents: 100_000,
      }),
    ]);
  });

  it('headers and addresses refer to variables, whose values are secrets', () => {
    const headers = { Authorization: 'Bearer ${TOKEN}' };
    const { agents } = read({ ...TRAVEL, url: 'https://${HOST:-a.example}/v1', headers }, { TOKEN: 'a-long-secret' });
    expect(agents[0]?.url.href).toBe('https://a.example/v1');
    expect(agents[0]?.headers).toEqual({ authorization: 'Bearer a-long-secret' });
    expect(agents[0]?.secrets).toContain('a-long-secret');
  });

  it('a missing variable is named, and no value is', () => {
    const { agents, problems } = read({ ...TRAVEL, headers: { authorization: 'Bearer ${TOKEN} hush' } });
    expect(agents).toEqual([]);
    expect(problems).toEqual([
      {
        name: 'REMOTE_AGENTS',
        message: 'remote agent "travel": "headers" refers to the variable TOKEN, which is not set',
      },
    ]);
  });

  it.each([
    [{ url: 'https://a.example' }, '"type" is required'],
    [{ type: 'soap', url: 'https://a.example' }, '"type" must be one of'],
    [{ type: 'responses' }, '"url" is required'],
    [{ ...TRAVEL, url: 'http://a.example' }, '"insecure": true'],
    [{ ...TRAVEL, url: 'https://me:pw@a.example' }, 'without user name'],
    [{ ...TRAVEL, url: 'file:///etc/passwd' }, 'must be an http:// or https:// address'],
    [{ ...TRAVEL, url: 'https://169.254.169.254/' }, 'allowLinkLocal'],
    [{ ...TRAVEL, url: 'https://[fe80::1]/' }, 'allowLinkLocal'],
    ...['https://169.254.169.254', 'https://[fe80::1]'].map((origin): [object, string] => [
      { type: 'a2a', url: 'https://a.example', allowedOrigins: [origin] },
      'each of "allowedOrigins" must be no link-local address, which requires "allowLinkLocal": true',
    ]),
    [{ type: 'a2a', url: 'https://a.example', allowedOrigins: ['http://b.example'] }, '"insecure": true'],
    ...[
      'no key',
      '{"kty":"oct","k":"c2VjcmV0"}',
      { keys: [] },
      { kty: 'EC' },
      PRIVATE_JWK,
      'https://user:secret@keys.example/',
      7,
    ].map((verify): [object, string] => [{ ...AGENT, verify }, '"verify" must be']),
    [{ ...AGENT, verify: 'http://keys.example/jwks.json' }, '"insecure": true'],
    [{ ...AGENT, extensions: ['urn:a:b', 'with space'] }, '"extensions" must have URIs, without spaces and commas'],
    [{ ...AGENT, extensions: ['urn:a,urn:b'] }, '"extensions" must have URIs, without spaces and commas'],
    [{ ...AGENT, extensions: Array.from({ length: 17 }, (_, at) => `urn:a:${at}`) }, 'at most 16'],
    [{ ...AGENT, progress: 'off' }, '"progress" must be true or false'],
    [{ ...TRAVEL, verify: 'https://keys.example' }, 'unknown key "verify" for the type responses'],
    [{ ...TRAVEL, maxByte: 1 }, 'unknown key "maxByte" for the type responses'],
    [{ ...TRAVEL, stopUrl: 'https://a.example' }, 'unknown key "stopUrl" for the type responses'],
    [{ ...TRAVEL, idleMs: 0 }, '"idleMs" must be a whole number'],
    [{ ...TRAVEL, user: 'secret' }, '"user" must be one of none, hashed, plain'],
    [{ ...TRAVEL, headers: { host: 'x' } }, 'cannot set the header "host"'],
    [{ ...TRAVEL, headers: { 'x-a': 'a\nb' } }, 'the header "x-a" has an invalid name or value'],
    [{ ...TRAVEL, reattach: 'responses', background: false }, 'requires "background"'],
    [{ ...TRAVEL, forwardHeaders: 'x-a' }, '"forwardHeaders" must be a list of strings'],
    [{ ...TRAVEL, forwardHeaders: ['X-A'] }, 'names of headers in lower case, not "X-A"'],
    [{ ...TRAVEL, forwardHeaders: ['x a'] }, 'names of headers in lower case, not "x a"'],
    ...['authorization', 'cookie', 'x-api-key', 'proxy-authorization', 'host', 'connection', 'te', 'x-parley-hops'].map(
      (name): [object, string] => [
        { ...TRAVEL, forwardHeaders: [name] },
        `${JSON.stringify(name)}, which is never sent`,
      ],
    ),
    [{ ...TRAVEL, headers: { 'X-A': 'b' }, forwardHeaders: ['x-a'] }, '"x-a", which "headers" sets'],
    [{ ...TRAVEL, forwardHeaders: [...'abcdefghi'].map((letter) => `x-${letter}`) }, 'at most 8 names'],
    [{ ...TRAVEL, files: 'sent' }, '"files" must be one of inline, signed, none'],
    [{ ...TRAVEL, confirm: 'yes' }, '"confirm" must be true or false'],
    [{ ...TRAVEL, required: 1 }, '"required" must be true or false'],
    [{ type: 'ag-ui', url: 'https://a.example', reattach: 'parley' }, 'requires "eventsUrl"'],
    [{ type: 'ag-ui', url: 'https://a.example', reattach: 'connect' }, 'requires "connectUrl"'],
  ])('%j is refused', (entry, sentence) => {
    expect(problemsOf(entry)).toContain(sentence);
  });

  it('http to this machine needs no permission', () => {
    expect(problemsOf({ ...TRAVEL, url: 'http://127.0.0.1:9000/v1' })).toBe('');
    const allowedOrigins = ['http://127.0.0.1:9000', 'http://[::1]:9000'];
    expect(problemsOf({ type: 'a2a', url: 'https://a.example', allowedOrigins })).toBe('');
  });

  it.each([
    ['an address', 'https://keys.example/jwks.json', new URL('https://keys.example/jwks.json')],
    ['a key in PEM', publicKey.export({ format: 'pem', type: 'spki' }).toString(), [PUBLIC_JWK]],
    ['a JSON Web Key', PUBLIC_JWK, [PUBLIC_JWK]],
    ['the text of one', '${KEY}', [PUBLIC_JWK]],
    ['a set of keys', { keys: [PUBLIC_JWK, PUBLIC_JWK] }, [PUBLIC_JWK, PUBLIC_JWK]],
  ])('signatures of cards are checked with %s', (_, verify, expected) => {
    const { agents, problems } = read({ ...AGENT, verify }, { KEY: JSON.stringify(PUBLIC_JWK) });
    expect(problems).toEqual([]);
    expect(agents[0]?.verify).toEqual(expected);
  });

  it('names are those of agent types', () => {
    const json = JSON.stringify({ agents: { 'Not Good': TRAVEL } });
    expect(readRemoteAgents({ json, file: undefined, env: {} }).problems[0]?.message).toContain('the name must match');
  });

  it('a file adds agents; a name in both is refused', () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-remote-'));
    const file = join(folder, 'agents.json');
    try {
      writeFileSync(file, JSON.stringify({ agents: { travel: TRAVEL, other: TRAVEL } }));
      const json = JSON.stringify({ agents: { travel: TRAVEL } });
      const { problems } = readRemoteAgents({ json, file, env: {} });
      expect(problems).toEqual([{ name: 'REMOTE_AGENTS_FILE', message: 'remote agent "travel": is configured twice' }]);
      expect(readRemoteAgents({ json: undefined, file, env: {} }).agents.map(({ name }) => name)).toEqual([
        'travel',
        'other',
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('signed files need an address of this server', () => {
    const REMOTE_AGENTS = JSON.stringify({ agents: { travel: { ...TRAVEL, files: 'signed' } } });
    expect(() => readSettings(RemoteSettings, { REMOTE_AGENTS })).toThrow(
      'PUBLIC_BASE_URL must be set, because the remote agent "travel" has "files": "signed"',
    );
    const env = { REMOTE_AGENTS, PUBLIC_BASE_URL: 'https://here.example' };
    expect(readSettings(RemoteSettings, env).agents).toMatchObject([{ files: 'signed' }]);
  });

  it('JSON that is none is not shown', () => {
    const { problems } = readRemoteAgents({ json: '{"secret', file: undefined, env: {} });
    expect(problems).toEqual([{ name: 'REMOTE_AGENTS', message: 'must be valid JSON (8 characters, not shown)' }]);
  });
});
