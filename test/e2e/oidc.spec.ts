import OpenAI, { AuthenticationError, PermissionDeniedError } from 'openai';
import { openaiUrl } from '../support/openai-client.js';
import { OpenIdProvider } from '../support/openid-provider.js';
import { startServer, type TestServer } from '../support/server.js';

let provider: OpenIdProvider;
let server: TestServer;

beforeAll(async () => {
  provider = await OpenIdProvider.start();
  const issuer = {
    alias: 'provider',
    issuer: provider.issuer,
    audience: ['parley'],
    tenant: { fixed: 'default' },
    roles: { claim: 'org.groups', map: { staff: 'approver' } },
    types: ['at+jwt'],
  };
  server = await startServer({ env: { AUTH: 'oidc', OIDC_ISSUERS: JSON.stringify([issuer]) } });
});
afterAll(async () => {
  await server.close();
  await provider.close();
});

const client = (apiKey: string): OpenAI => new OpenAI({ apiKey, baseURL: openaiUrl(server), maxRetries: 0 });

describe('a token of an OpenID provider', () => {
  it('of a user who signed in is the API key of a stock client', async () => {
    const alice = client(await provider.userToken('alice'));
    const response = await alice.responses.create({ model: 'default', input: 'Hello' });
    expect(response.status).toBe('completed');
    expect((await alice.responses.retrieve(response.id)).output_text).toBe(response.output_text);
  });

  it('of a client itself streams a response', async () => {
    const stream = await client(await provider.clientToken()).responses.create({
      model: 'default',
      input: 'Hello',
      stream: true,
    });
    const types: string[] = [];
    for await (const { type } of stream) types.push(type);
    expect(types.at(-1)).toBe('response.completed');
  });

  it('without the scope that a route needs is refused with 403', async () => {
    const reader = client(await provider.clientToken('runs:read'));
    await expect(reader.responses.create({ model: 'default', input: 'Hello' })).rejects.toThrow(PermissionDeniedError);
  });

  it('that was changed is refused with 401', async () => {
    const [head, body = '', signature] = (await provider.clientToken()).split('.');
    const claims = { ...(JSON.parse(Buffer.from(body, 'base64url').toString()) as object), sub: 'admin' };
    const forged = [head, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.');
    const create = client(forged).responses.create({ model: 'default', input: 'Hello' });
    await expect(create).rejects.toThrow(AuthenticationError);
  });

  it('is needed: a request without one is refused with 401', async () => {
    const response = await fetch(`${server.url}/v1/responses`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="parley"');
  });
});
