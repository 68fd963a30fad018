import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const HEADER = { alg: 'ES256', kid: 'bench', typ: 'at+jwt' };
const HOUR_SECONDS = 3600;

/** An OpenID provider in this process: discovery, one key, and tokens. */
export class TokenIssuer {
  private constructor(
    private readonly server: Server,
    private readonly privateKey: KeyObject,
  ) {}

  static async start(): Promise<TokenIssuer> {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: HEADER.kid, alg: HEADER.alg, use: 'sig' };
    const server = createServer((request, response) => {
      const document =
        request.url === '/jwks' ? { keys: [jwk] } : { issuer: issuer.url, jwks_uri: `${issuer.url}/jwks` };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(document));
    });
    const issuer = new TokenIssuer(server, privateKey);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return issuer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** What `OIDC_ISSUERS` has to be. */
  get setting(): string {
    const { url: issuer } = this;
    return JSON.stringify([
      { alias: 'bench', issuer, audience: ['parley'], algorithms: ['ES256'], tenant: { fixed: 'default' } },
    ]);
  }

  /** A token that may read, valid for an hour. */
  token(): string {
    const iat = Math.floor(Date.now() / 1000);
    const claims = { iss: this.url, aud: 'parley', sub: 'alice', iat, exp: iat + HOUR_SECONDS, scope: 'runs:read' };
    const content = [HEADER, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    const signature = sign('sha256', Buffer.from(content), { key: this.privateKey, dsaEncoding: 'ieee-p1363' });
    return `${content}.${signature.toString('base64url')}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
