import { json } from '../../api/client.js';
import { type Credential, setCredential } from '../../api/credential.js';
import type { Provider } from '../../api/types.js';
import { messageOf } from '../../lib/format.js';
import { base64Url, secret } from '../../lib/random.js';
import { endpointsOf, tokensFor } from './provider.js';
import { grantOf } from './renewal.js';

const KEY = 'parley.sign-in';

/** What the page must still know when the provider has sent the person back. */
interface Begun {
  readonly alias: string;
  readonly state: string;
  readonly verifier: string;
  /** Where in the console the person was. */
  readonly place: string;
}

/**
 * Sends the person to a provider: the authorization code flow with PKCE. The page is left.
 *
 * @throws Error that says why it cannot
 */
export async function beginSignIn(provider: Provider): Promise<void> {
  if (!window.isSecureContext) throw new Error('Signing in needs https');
  const { authorization } = await endpointsOf(provider);
  const begun: Begun = { alias: provider.alias, state: secret(), verifier: secret(), place: window.location.hash };
  sessionStorage.setItem(KEY, JSON.stringify(begun));
  const target = new URL(authorization);
  const parameters = {
    client_id: provider.clientId,
    response_type: 'code',
    redirect_uri: ownAddress(),
    scope: provider.scopes.join(' '),
    state: begun.state,
    code_challenge: await challengeOf(begun.verifier),
    code_challenge_method: 'S256',
    ...(provider.prompt !== undefined && { prompt: provider.prompt }),
  };
  for (const [name, value] of Object.entries(parameters)) target.searchParams.set(name, value);
  window.location.assign(target);
}

/**
 * Ends a sign-in if the page was opened with the answer of a provider, and removes the answer from the address.
 *
 * @returns why it failed; undefined if it did not, or if there was none
 */
export async function endSignIn(): Promise<string | undefined> {
  const answer = new URLSearchParams(window.location.search);
  const kept = sessionStorage.getItem(KEY);
  if (!answer.has('state') || kept === null) return undefined;
  sessionStorage.removeItem(KEY);
  const begun = JSON.parse(kept) as Begun;
  history.replaceState(null, '', `${window.location.pathname}${begun.place}`);
  try {
    const { token, grant } = await redeem(answer, begun);
    setCredential(token, grant);
    return undefined;
  } catch (error) {
    return `Signing in failed: ${messageOf(error)}`;
  }
}

async function redeem(answer: URLSearchParams, { alias, state, verifier }: Begun): Promise<Credential> {
  if (answer.get('state') !== state) throw new Error('The answer belongs to another attempt');
  const code = answer.get('code');
  if (code === null) throw new Error(answer.get('error_description') ?? answer.get('error') ?? 'There is no code');
  const { signIn } = await json<{ readonly signIn: readonly Provider[] }>('api/v1/console');
  const provider = signIn.find((one) => one.alias === alias);
  if (!provider) throw new Error('The server does not know the provider any more');
  const issuer = answer.get('iss');
  if (issuer !== null && issuer !== provider.issuer) throw new Error('The answer is of another provider');
  const { clientId } = provider;
  const { token: tokenEndpoint, revocation: revocationEndpoint } = await endpointsOf(provider);
  const tokens = await tokensFor(tokenEndpoint, {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    redirect_uri: ownAddress(),
    code_verifier: verifier,
  });
  return { token: tokens.access, grant: grantOf(tokens, { clientId, tokenEndpoint, revocationEndpoint }) };
}

/** The address that the provider sends the person back to; it must be registered there. */
function ownAddress(): string {
  return new URL('.', document.baseURI).href;
}

async function challengeOf(verifier: string): Promise<string> {
  return base64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));
}
