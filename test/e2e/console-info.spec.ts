import { startServer } from '../support/server.js';

describe('what a page has to know first', () => {
  it('names the providers that have a client for the console, and no others', async () => {
    const issuer = (alias: string): object => ({
      alias,
      issuer: `https://${alias}.example.com`,
      audience: 'parley',
      tenant: { fixed: alias },
    });
    const issuers = [{ ...issuer('staff'), console: { clientId: 'console', prompt: 'consent' } }, issuer('customer')];
    const server = await startServer({ env: { AUTH: 'keys,oidc', OIDC_ISSUERS: JSON.stringify(issuers) } });
    const answer = await fetch(`${server.url}/api/v1/console`);
    const provider = { alias: 'staff', issuer: 'https://staff.example.com' };
    expect(await answer.json()).toMatchObject({
      authentication: ['keys', 'oidc'],
      signIn: [{ ...provider, clientId: 'console', scopes: ['openid', 'profile'], prompt: 'consent' }],
    });
    await server.close();
  });
});
