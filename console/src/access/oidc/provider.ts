import type { Provider } from '../../api/types.js';
import { isObject } from '../../lib/format.js';

/** Where a provider signs people in, and where it gives and revokes tokens. */
export interface Endpoints {
  readonly authorization: string;
  readonly token: string;
  /** Undefined if it revokes nothing. */
  readonly revocation: string | undefined;
}

/** The tokens of one answer of a provider. */
export interface Tokens {
  readonly access: string;
  /** Undefined if there is none, or if the one that was redeemed stays valid. */
  readonly refresh: string | undefined;
  /** How long the access token is valid, in milliseconds; undefined if the provider does not say. */
  readonly validMs: number | undefined;
}

/** How long a provider may take to give tokens, in milliseconds. */
const TOKENS_MS = 10_000;

/** The provider has given no token, or has said why in its own words. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';

  /** @param code the `error` of the answer, such as `invalid_grant`, if it has one */
  constructor(
    readonly status: number,
    message: string,
    readonly code?: string,
  ) {
    super(message);
  }
}

/** Reads the configuration that a provider publishes. @throws Error that says what is wrong */
export async function endpointsOf({ issuer }: Provider): Promise<Endpoints> {
  const answer = await fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  if (!answer.ok) throw new Error(`The provider answered with status ${answer.status}`);
  const found = objectOf(await answer.json());
  const { authorization_endpoint: authorization, token_endpoint: token } = found;
  if (typeof authorization !== 'string' || typeof token !== 'string')
    throw new Error('The provider does not say where it signs people in');
  return { authorization, token, revocation: textOf(found['revocation_endpoint']) };
}

/**
 * Redeems a code or a refresh token.
 *
 * @throws ProviderError, with status 503 if the provider cannot be reached or takes longer than ten seconds, and 502 if
 *   its answer is a success without a token
 */
export async function tokensFor(endpoint: string, form: Readonly<Record<string, string>>): Promise<Tokens> {
  const signal = AbortSignal.timeout(TOKENS_MS);
  const answer = await fetch(endpoint, { method: 'POST', body: new URLSearchParams(form), signal }).catch(() => {
    throw new ProviderError(503, 'The OpenID provider cannot be reached');
  });
  const body = objectOf(await answer.json().catch(() => undefined));
  const { access_token: access, refresh_token: refresh, expires_in: seconds } = body;
  if (answer.ok && typeof access === 'string')
    return { access, refresh: textOf(refresh), validMs: typeof seconds === 'number' ? seconds * 1000 : undefined };
  const code = textOf(body['error']);
  const message = textOf(body['error_description']) ?? code ?? 'The provider gave no token';
  throw new ProviderError(answer.ok ? 502 : answer.status, message, code);
}

function objectOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
