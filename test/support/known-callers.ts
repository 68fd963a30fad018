import {
  Authenticator,
  CredentialVerifier,
  type Identity,
  invalidCredential,
  type PresentedCredential,
  RequestRates,
} from '../../src/access/index.js';
import { startServer, type ServerOptions, type TestServer } from './server.js';

/** Believes tokens of the form `tenant.user`; `bad` is not valid. */
class KnownCallers extends CredentialVerifier {
  readonly method = 'oidc';

  constructor(private readonly identities: Readonly<Record<string, Partial<Identity>>>) {
    super();
  }

  verify({ token }: PresentedCredential): Identity | undefined {
    if (token === undefined) return undefined;
    const [tenantId, user] = token.split('.');
    if (tenantId === undefined || user === undefined) throw invalidCredential();
    return {
      tenantId,
      actor: { kind: 'user', id: user },
      userId: user,
      scopes: ['runs:read', 'runs:write', 'approvals:decide', 'admin:budgets'],
      roles: [],
      expiresAt: undefined,
      ...this.identities[token],
    };
  }

  isCurrent(): boolean {
    return true;
  }
}

/**
 * A server whose callers present tokens of the form `tenant.user`, so that limits can be tested without keys.
 *
 * @param identities what is special about some of them, by their tokens
 */
export async function startWithCallers(
  options: ServerOptions = {},
  identities: Readonly<Record<string, Partial<Identity>>> = {},
): Promise<TestServer> {
  const found: { rates?: RequestRates } = {};
  const authenticator = new Authenticator(
    { isAuthenticated: true, actAsMismatch: 'refuse' },
    [new KnownCallers(identities)],
    { refusal: (error: Error, address: string) => found.rates?.refusal(error, address) ?? Promise.resolve(error) },
  );
  const server = await startServer({
    ...options,
    env: { AUTH: 'keys', ...options.env },
    overrides: [...(options.overrides ?? []), { provide: Authenticator, useValue: authenticator }],
  });
  found.rates = server.get(RequestRates);
  return server;
}

/** The headers of a caller. */
export function as(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}
