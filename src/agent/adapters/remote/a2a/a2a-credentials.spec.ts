import { textOf } from '../../../../events/index.js';
import { TestRun } from '../../../testing/test-run.js';
import { remoteAgentFor } from '../../testing/remote-runs.js';
import { stream, UpstreamDouble } from '../../testing/responses-double.js';
import { credentialsIn } from './a2a-card.js';

describe('a remote agent of A2A that wants credentials', () => {
  const SCHEMES_1_0 = {
    key: { apiKeySecurityScheme: { location: 'header', name: 'X-API-Key' } },
    bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } },
    login: { openIdConnectSecurityScheme: { openIdConnectUrl: 'https://id.example' } },
    cert: { mtlsSecurityScheme: {} },
  };
  const SCHEMES_0_3 = {
    key: { type: 'apiKey', in: 'query', name: 'key' },
    basic: { type: 'http', scheme: 'basic' },
    oauth: { type: 'oauth2', flows: {} },
  };
  const REFUSED = 'The remote agent refused the credentials of this server';

  it.each([
    [
      'an API key in the header X-API-Key or Bearer credentials in the header authorization',
      {
        securitySchemes: SCHEMES_1_0,
        securityRequirements: [{ schemes: { key: { list: [] } } }, { schemes: { bearer: {} } }],
      },
    ],
    [
      'a token of OpenID Connect in the header authorization and a client certificate, which is not supported',
      { securitySchemes: SCHEMES_1_0, securityRequirements: [{ schemes: { login: {}, cert: {} } }] },
    ],
    [
      'an API key in the query key or basic credentials in the header authorization or a token of OAuth 2.0 in the header authorization',
      { securitySchemes: SCHEMES_0_3, security: [{ key: [] }, { basic: [] }, { oauth: ['a'] }] },
    ],
    ['the scheme odd', { security: [{ odd: [] }] }],
    [undefined, { securitySchemes: SCHEMES_1_0 }],
  ])('says that its card asks for %s', async (wanted, card) => {
    const upstream: UpstreamDouble = await UpstreamDouble.start((response, { method }) => {
      if (method === 'POST') return void response.writeHead(401).end();
      const body = JSON.stringify({ ...card, url: upstream.url, capabilities: { streaming: true } });
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    });
    const agent = remoteAgentFor({ type: 'a2a', url: upstream.url });
    const message = wanted === undefined ? REFUSED : `${REFUSED}. Its card asks for ${wanted}`;
    await expect(new TestRun().drive(agent)).rejects.toMatchObject({ code: 'UPSTREAM_UNAUTHORIZED', message });
    await agent.close();
    await upstream.close();
  });

  it('says so in a sentence of bounded length', () => {
    const names = Array.from({ length: 1000 }, (_, index) => `scheme-${index}`);
    const all = Object.fromEntries(names.map((name) => [name, []]));
    expect(credentialsIn({ security: [all] })).toBe(
      `${names
        .slice(0, 8)
        .map((name) => `the scheme ${name}`)
        .join(' and ')} and more`,
    );
    const long = Array.from({ length: 8 }, (_, at) => Object.fromEntries(names.map((name) => [`${name}-${at}`, []])));
    expect(credentialsIn({ security: long })).toHaveLength(502);
  });

  it('gets the configured headers with the request for the card and with every other', async () => {
    const upstream: UpstreamDouble = await UpstreamDouble.start((response, { method, headers }) => {
      if (headers['x-api-key'] !== 'key-of-the-test') return void response.writeHead(401).end();
      if (method === 'POST') return stream(response, [{ message: { messageId: 'm', parts: [{ text: 'Hello.' }] } }]);
      const supportedInterfaces = [{ url: upstream.url, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' }];
      const body = JSON.stringify({ supportedInterfaces, capabilities: { streaming: true } });
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    });
    const agent = remoteAgentFor({ type: 'a2a', url: upstream.url, headers: { 'X-API-Key': 'key-of-the-test' } });
    const run = new TestRun();
    expect(await run.drive(agent)).toEqual({ kind: 'completed' });
    expect(run.messages.map(textOf)).toEqual(['Hello.']);
    await agent.close();
    await upstream.close();
  });
});
