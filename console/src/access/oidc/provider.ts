import { isObject } from '../../lib/format.js';

/** A provider to sign in with, as `GET /api/v1/console` names it. */
export interface Provider {
  readonly alias: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
}

/** Where a provider signs people in, and where it gives tokens. */
export interface Endpoints {
  readonly authorization: string;
  readonly token: string;
}

/** Reads the configuration that a provider publishes. @throws Error that says what is wrong */
export async function endpointsOf({ issuer }: Provider): Promise<Endpoints> {
  const answer = await fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  if (!answer.ok) throw new Error(`The provider answered with status ${answer.status}`);
  const { authorization_endpoint: authorization, token_endpoint: token } = objectOf(await answer.json());
  if (typeof authorization !== 'string' || typeof token !== 'string')
    throw new Error('The provider does not say where it signs people in');
  return { authorization, token };
}

/** Redeems a code. @throws Error in the words of the provider */
export async function tokenFor(endpoint: string, form: Readonly<Record<string, string>>): Promise<string> {
  const answer = await fetch(endpoint, { method: 'POST', body: new URLSearchParams(form) });
  const body = objectOf(await answer.json().catch(() => undefined));
  const token = body['access_token'];
  if (answer.ok && typeof token === 'string') return token;
  throw new Error(textOf(body['error_description']) ?? textOf(body['error']) ?? 'The provider gave no token');
}

function objectOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
