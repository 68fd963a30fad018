// An OpenID provider on loopback, for tests: `oidc-provider`, in a process of its own because it is an ES module.
// Prints the address of the issuer as soon as it listens. Its only resource is `parley`, with JWT access tokens.
import { createServer } from 'node:http';
// @ts-expect-error The package has no types.
import Provider from 'oidc-provider';

const server = createServer();
server.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const issuer = `http://127.0.0.1:${port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'web',
        client_secret: 'web-secret',
        redirect_uris: ['http://127.0.0.1/callback'],
        grant_types: ['authorization_code', 'client_credentials'],
        application_type: 'native',
      },
      {
        // The console of a server on any port: the port of a loopback address is free for native clients.
        client_id: 'console',
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        redirect_uris: ['http://127.0.0.1/console/'],
        application_type: 'native',
      },
    ],
    clientBasedCORS: () => true,
    scopes: ['openid', 'offline_access', 'runs:read', 'runs:write'],
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => 'urn:parley',
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: 'runs:read runs:write',
          audience: 'parley',
          accessTokenFormat: 'jwt',
          accessTokenTTL: 600,
        }),
      },
    },
    /** @type {(context: unknown, token: { accountId?: string }) => object} */
    extraTokenClaims: (_, token) => (token.accountId ? { org: { groups: ['staff'] } } : {}),
  });
  server.on('request', provider.callback());
  process.stdout.write(`${issuer}\n`);
});
process.stdin.on('end', () => process.exit()).resume();
