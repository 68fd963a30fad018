import { type Credential, type Grant, renewCredential, storedCredential } from '../../api/credential.js';
import { wait } from '../../lib/wait.js';
import { ProviderError, type Tokens, tokensFor } from './provider.js';

/** The name of the lock and of the channel that the tabs of the console share. */
const NAME = 'parley.renewal';
/** A token is renewed this long before it expires, in milliseconds, or after nine tenths of its time. */
const EARLY_MS = 30_000;
/** How long another tab may take to answer, in milliseconds. */
const ANSWER_MS = 200;

/** What tabs tell each other. A tab that was opened from another has a copy of its credential. */
type TabMessage =
  /** Does anybody have the successor of a refresh token? */
  | { readonly kind: 'wanted'; readonly refreshToken: string }
  /** A refresh token was redeemed for this credential. */
  | { readonly kind: 'renewed'; readonly refreshToken: string; readonly credential: Credential };

/** The refresh tokens that this tab no longer uses: providers take each only once. */
const redeemed = new Set<string>();
let tabs: BroadcastChannel | undefined;
let renewing: Promise<void> | undefined;

/** The grant of a provider's answer; undefined if it cannot be renewed. @param before the grant that was redeemed, if any */
export function grantOf(
  { refresh, validMs }: Tokens,
  { refreshToken, ...client }: Omit<Grant, 'refreshToken' | 'renewAt'> & { readonly refreshToken?: string },
): Grant | undefined {
  const next = refresh ?? refreshToken;
  if (next === undefined) return undefined;
  const renewAt = validMs === undefined ? undefined : Date.now() + validMs - Math.min(EARLY_MS, validMs / 10);
  return { ...client, refreshToken: next, renewAt };
}

/** Listens to the other tabs of the console. To be called once. */
export function shareRenewals(): void {
  tabs = new BroadcastChannel(NAME);
  tabs.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    const own = storedCredential();
    if (data.kind === 'renewed' && data.refreshToken === own?.grant?.refreshToken) replace(data.credential);
    if (data.kind === 'wanted' && own && redeemed.has(data.refreshToken))
      publish({ kind: 'renewed', refreshToken: data.refreshToken, credential: own });
  };
}

/**
 * Renews the token if it is about to expire, or if it is the one that the server has refused. All requests of all tabs
 * wait for one renewal. When the provider refuses it the token stays as it is, and the person has to sign in again.
 *
 * @throws ProviderError if the provider cannot be reached and the server has refused the token
 */
export async function renewIfDue(refused?: string): Promise<void> {
  if (!isDue(storedCredential(), refused)) return;
  renewing ??= navigator.locks.request(NAME, () => renew(refused)).finally(() => (renewing = undefined));
  await renewing;
}

/** Ends what a sign-in has begun at its provider. Never throws. */
export async function revoke({ grant }: Credential): Promise<void> {
  if (grant?.revocationEndpoint === undefined) return;
  const form = { client_id: grant.clientId, token: grant.refreshToken, token_type_hint: 'refresh_token' };
  await fetch(grant.revocationEndpoint, { method: 'POST', body: new URLSearchParams(form), keepalive: true }).catch(
    () => undefined,
  );
}

function isDue(own: Credential | undefined, refused: string | undefined): own is Credential & { grant: Grant } {
  if (!own?.grant) return false;
  return own.token === refused || (own.grant.renewAt !== undefined && own.grant.renewAt <= Date.now());
}

/** Holds the lock: no other tab renews. */
async function renew(refused: string | undefined): Promise<void> {
  const own = storedCredential();
  if (!isDue(own, refused)) return;
  const { grant } = own;
  if (await isRenewedElsewhere(grant)) return;
  const { tokenEndpoint, clientId, refreshToken } = grant;
  try {
    const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken };
    const tokens = await tokensFor(tokenEndpoint, form);
    const renewed = { token: tokens.access, grant: grantOf(tokens, grant) };
    if (isCurrent(grant)) replace(renewed);
    publish({ kind: 'renewed', refreshToken, credential: renewed });
  } catch (error) {
    const isRefusal = error instanceof ProviderError && error.status < 500 && error.status !== 429;
    if (isRefusal && isCurrent(grant)) renewCredential({ token: own.token });
    // The token may be valid for a while.
    else if (refused !== undefined) throw error;
  }
}

/** Asks the other tabs: one of them may have renewed the token while this one was asleep. */
async function isRenewedElsewhere(grant: Grant): Promise<boolean> {
  publish({ kind: 'wanted', refreshToken: grant.refreshToken });
  for (let waited = 0; waited < ANSWER_MS && isCurrent(grant); waited += 20) await wait(20);
  return !isCurrent(grant);
}

/** Whether the grant is still that of this tab: the person may have signed out meanwhile. */
function isCurrent({ refreshToken }: Grant): boolean {
  return storedCredential()?.grant?.refreshToken === refreshToken;
}

function replace(next: Credential): void {
  const before = storedCredential()?.grant?.refreshToken;
  if (before !== undefined && before !== next.grant?.refreshToken) redeemed.add(before);
  renewCredential(next);
}

function publish(message: TabMessage): void {
  tabs?.postMessage(message);
}
