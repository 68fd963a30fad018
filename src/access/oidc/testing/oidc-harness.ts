import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import { type IssuerKey, issuerKey, TokenIssuer } from '../../../../test/support/token-issuer.js';
import { readSettings } from '../../../config/index.js';
import { OutgoingHttp, OutgoingSettings } from '../../../outgoing/index.js';
import type { Identity } from '../../identity/identity.js';
import { Roles } from '../../identity/roles.js';
import { parseIssuers } from '../issuers.js';
import { OidcVerifier } from '../oidc.verifier.js';
import { ProviderHttp } from '../provider-http.js';

/** A new issuer for each test, with the key `first`, and verifiers of it with a clock of the test. */
export class OidcHarness {
  first!: IssuerKey;
  second!: IssuerKey;
  issuer!: TokenIssuer;
  /** The time of the verifiers, in milliseconds since the epoch. */
  now = 0;
  private http!: OutgoingHttp;

  constructor() {
    beforeAll(async () => {
      Logger.overrideLogger(false);
      [this.first, this.second] = await Promise.all([issuerKey('first'), issuerKey('second')]);
    });
    beforeEach(async () => {
      this.issuer = await TokenIssuer.start(this.first);
      this.http = new OutgoingHttp(readSettings(OutgoingSettings, {}));
      this.now = Date.now();
    });
    afterEach(async () => {
      await this.http.onApplicationShutdown();
      await this.issuer.close();
    });
  }

  /** A verifier of the issuer. @param entry what its configuration has besides the least */
  verifier(entry: object = {}, activeTenants = ['default', 'acme']): OidcVerifier {
    const { url } = this.issuer;
    const roles = new Roles();
    const configured = { alias: 'test', issuer: url, audience: 'parley', tenant: { fixed: 'default' }, ...entry };
    const { issuers, problems } = parseIssuers([configured], roles);
    expect(problems).toEqual([]);
    const tenants = { isActive: (tenant: string) => activeTenants.includes(tenant) };
    return new OidcVerifier({
      issuers,
      roles,
      tenants,
      http: new ProviderHttp(this.http),
      clock: { now: () => this.now },
    });
  }

  /** Seconds since the epoch, a while from now. */
  seconds(ms: number): number {
    return Math.floor((this.now + ms) / 1000);
  }
}

/** What a verifier makes of a token. */
export function verify(oidc: OidcVerifier, token: string): Identity | undefined | Promise<Identity | undefined> {
  return oidc.verify({ token, request: new IncomingMessage(new Socket()), address: '127.0.0.1' });
}

/** The code with which a token is refused; `accepted` or `not a token` when it is not. */
export async function outcome(oidc: OidcVerifier, token: string): Promise<string> {
  try {
    return (await verify(oidc, token)) ? 'accepted' : 'not a token';
  } catch (error) {
    return (error as { code: string }).code;
  }
}
