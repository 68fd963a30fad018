import { createServer, type AddressInfo, type Server } from 'node:net';
import { readConfiguration } from '../app.settings.js';
import { StartupError } from '../common/index.js';
import { banner } from './banner.js';
import { assertPortFree, listenError } from './serve.js';

const OFFLINE = { kind: 'offline', name: 'offline-demo' };

describe('the banner', () => {
  it('the banner has the addresses, the database, the model, and a working command', () => {
    const text = banner(readConfiguration({ DATA_DIR: '/srv/parley' }), '1.2.3', 8090, OFFLINE);
    expect(text).toContain('Parley 1.2.3 listens on http://127.0.0.1:8090\n');
    expect(text).toContain('http://127.0.0.1:8090/docs\n');
    expect(text).toContain('embedded, /srv/parley/parley.db');
    expect(text).toContain('offline demo model');
    const body = /-d '(.*)'$/m.exec(text)?.[1] ?? '';
    expect(JSON.parse(body)).toMatchObject({ input: [{ role: 'user' }] });
  });

  it.each([
    ['20.19.0', true],
    ['22.12.0', false],
    ['26.1.0', false],
  ])('on Node.js %s the banner says that it is deprecated: %s', (nodeVersion, isDeprecated) => {
    const text = banner(readConfiguration({}), '1.2.3', 8090, OFFLINE, nodeVersion);
    expect(text.includes('Node.js 20 is past its end of life')).toBe(isDeprecated);
  });

  it('the banner shows neither the database password nor the model key', () => {
    const env = { DATABASE_URL: 'postgres://me:hidden@db:5432/parley', OPENAI_API_KEY: 'sk-hidden' };
    const profile = { name: 'openai', reason: 'the host', repairs: [], overrides: {} };
    const configuration = readConfiguration(env);
    const text = banner(configuration, '1.2.3', 8090, {
      kind: 'openai-compatible',
      name: 'gpt-5.4-mini',
      profile,
      address: 'https://api.openai.com/v1',
    });
    expect(text).toContain('PostgreSQL, db:5432/parley');
    expect(text).toContain('gpt-5.4-mini at https://api.openai.com/v1 (OPENAI_API_KEY), profile openai (the host)\n');
    const native = banner(configuration, '1.2.3', 8090, { kind: 'openai.responses', name: 'gpt-5.4-mini' });
    expect(native).toContain('gpt-5.4-mini of openai.responses (OPENAI_API_KEY)\n');
    expect(text).not.toContain('hidden');
  });

  it('with AUTH=keys, the banner has a command that creates a key, and one that uses it', () => {
    const text = banner(readConfiguration({ AUTH: 'keys' }), '1.2.3', 8090, OFFLINE);
    expect(text).toContain('export PARLEY_KEY=$(npm run --silent key -- create --tenant default --account me)\n');
    expect(text).toContain('/process -H "Authorization: Bearer $PARLEY_KEY" -H ');
    expect(banner(readConfiguration({}), '1.2.3', 8090, OFFLINE)).not.toContain('PARLEY_KEY');
  });

  it.each([
    ['0.0.0.0', 'http://127.0.0.1:9/docs'],
    ['::', 'http://127.0.0.1:9/docs'],
    ['::1', 'http://[::1]:9/docs'],
  ])('the banner has an address that can be opened for HOST=%s', (host, url) => {
    expect(banner(readConfiguration({ HOST: host, ALLOW_UNAUTHENTICATED: 'true' }), '1', 9, OFFLINE)).toContain(url);
  });
});

describe('assertPortFree', () => {
  let taken: Server;
  let port: number;

  beforeAll(async () => {
    taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', () => resolve()));
    port = (taken.address() as AddressInfo).port;
  });
  afterAll(() => taken.close());

  it('a free port is accepted, and stays free', async () => {
    await assertPortFree('127.0.0.1', 0);
  });

  it('the error for a port in use says what to do', async () => {
    const sentence = new RegExp(`^Port ${port} on 127\\.0\\.0\\.1 is already in use: .* PORT=\\d+\\.$`);
    await expect(assertPortFree('127.0.0.1', port)).rejects.toThrow(sentence);
  });

  it('the error for an address of another machine says so', async () => {
    await expect(assertPortFree('192.0.2.1', 0)).rejects.toThrow('not an address of this machine');
  });
});

describe('listenError', () => {
  it('a port that needs privileges is explained; other errors are unchanged', () => {
    const denied = Object.assign(new Error('x'), { code: 'EACCES' });
    expect(listenError(denied, '127.0.0.1', 80)).toBeInstanceOf(StartupError);
    const other = new Error('x');
    expect(listenError(other, '127.0.0.1', 80)).toBe(other);
  });
});
