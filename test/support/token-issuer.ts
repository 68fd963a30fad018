import type { webcrypto } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { LoopbackServer } from './loopback-server.js';

/** A key of the issuer. */
export interface IssuerKey {
  readonly kid: string;
  readonly privateKey: webcrypto.CryptoKey;
  readonly publicJwk: JWK;
}

/** A new key. */
export async function issuerKey(kid: string, alg = 'ES256'): Promise<IssuerKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

/** An issuer of tokens on loopback: discovery, keys, and whatever may go wrong with them. */
export class TokenIssuer extends LoopbackServer {
  /** Paths that were requested, in order. */
  readonly requests: string[] = [];
  /** What `jwks` answers. */
  keys: IssuerKey[] = [];
  /** Replaces an answer: by path. */
  answer: ((path: string, response: ServerResponse) => boolean) | undefined;

  static start(...keys: IssuerKey[]): Promise<TokenIssuer> {
    const issuer = new TokenIssuer();
    issuer.keys = keys;
    return issuer.listen();
  }

  /** How often the keys were read. */
  get keyRequests(): number {
    return this.requests.filter((path) => path === '/jwks').length;
  }

  /** A token as this issuer signs it, with its first key. */
  async token(claims: JWTPayload = {}, { key = this.keys[0], alg = 'ES256', typ = 'at+jwt' } = {}): Promise<string> {
    if (!key) throw new Error('The issuer has no key');
    const now = Math.floor(Date.now() / 1000);
    const payload = {
      iss: this.url,
      aud: 'parley',
      sub: 'alice',
      iat: now,
      exp: now + 600,
      scope: 'runs:read',
      ...claims,
    };
    return new SignJWT(payload).setProtectedHeader({ alg, kid: key.kid, typ }).sign(key.privateKey);
  }

  protected override handle(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '/';
    this.requests.push(path);
    if (this.answer?.(path, response)) return;
    response.setHeader('content-type', 'application/json');
    if (path === '/.well-known/openid-configuration') {
      response.end(JSON.stringify({ issuer: this.url, jwks_uri: `${this.url}/jwks` }));
    } else if (path === '/jwks') {
      response.end(JSON.stringify({ keys: this.keys.map(({ publicJwk }) => publicJwk) }));
    } else response.writeHead(404).end();
  }
}
