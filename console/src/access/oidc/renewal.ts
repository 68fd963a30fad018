import {
  type Credential,
  type Grant,
  onSignIn,
  renewCredential,
  signInId,
  storedCredential,
} from '../../api/credential.js';
import { wait } from '../../lib/wait.js';
import { ProviderError, type Tokens, tokensFor } from './provider.js';

/** The name of the lock and of the channel that the tabs of the console share. */
const NAME = 'parley.renewal';
/** A token is renewed this long before it expires, in milliseconds, or after nine tenths of its time. */
const EARLY_MS = 30_000;
/** Requests wait for the renewal of a token that is valid for less than this, in milliseconds. */
const SPARE_MS = 5_000;
/** How long another tab may take to answer, in milliseconds. */
const ANSWER_MS = 200;
/** The provider is not asked again for so long after it has failed, in milliseconds. */
const PAUSE_MS = 10_000;
/** A token that the server refuses so soon after a renewal brought it is not renewed: the next one would be refused too. */
const FRESH_MS = 10_000;
/** The errors of a provider after which the refresh token is of no use (RFC 6749, section 5.2). */
const REFUSALS = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client']);

/** What tabs tell each other. A tab that was opened from another has a copy of its credential. */
type TabMessage =
  /** Does anybody have the successor of a refresh token? */
  | { readonly kind: 'wanted'; readonly refreshToken: string }
  /** A refresh token was redeemed for this credential. */
  | { readonly kind: 'renewed'; readonly refreshToken: string; readonly credential: Credential }
  /** The provider could not redeem a refresh token at this time. */
  | { readonly kind: 'failed'; readonly refreshToken: string; readonly status: number; readonly message: string };

type Renewable = Credential & { readonly grant: Grant };

/** The refresh tokens that this tab no longer uses, with their sign-in: providers take each only once. */
const redeemed = new Map<string, string>();
let tabs: BroadcastChannel | undefined;
/** Aborted when another tab has answered. */
let asking: AbortController | undefined;
let renewing: { readonly token: string; readonly done: Promise<void> } | undefined;
let failure: { readonly refreshToken: string; readonly error: ProviderError; readonly until: number } | undefined;

/** The grant of a provider's answer; undefined if it cannot be renewed. @param before the grant that was redeemed, if any */
export function grantOf(
  { refresh, validMs }: Tokens,
  before: Pick<Grant, 'clientId' | 'tokenEndpoint' | 'revocationEndpoint'> & { readonly refreshToken?: string },
): Grant | undefined {
  const { clientId, tokenEndpoint, revocationEndpoint } = before;
  const refreshToken = refresh ?? before.refreshToken;
  if (refreshToken === undefined) return undefined;
  const now = Date.now();
  return {
    clientId,
    tokenEndpoint,
    revocationEndpoint,
    refreshToken,
    renewAt: validMs === undefined ? undefined : now + validMs - Math.min(EARLY_MS, validMs / 10),
    expiresAt: validMs === undefined ? undefined : now + validMs,
    renewedAt: before.refreshToken === undefined ? undefined : now,
  };
}

/**
 * Listens to the other tabs of the console, and revokes what a sign-in has begun at its provider when it ends. To be called
 * once.
 */
export function shareRenewals(): void {
  tabs = new BroadcastChannel(NAME);
  tabs.onmessage = ({ data }: MessageEvent<TabMessage>) => receive(data);
  onSignIn((before) => {
    redeemed.clear();
    if (before?.grant) void revoke(before.grant);
  });
}

/**
 * Renews the token if it is about to expire, or if it is the one that the server has refused. All requests of all tabs
 * wait for one renewal, unless the token is still valid for a while. When the provider refuses it the token stays as it
 * is, and the person has to sign in again.
 *
 * @throws ProviderError if the provider cannot renew the token at this time and the server has refused it
 */
export async function renewIfDue(refused?: string): Promise<void> {
  const own = storedCredential();
  if (!isRenewable(own)) return;
  const { renewAt, expiresAt = 0 } = own.grant;
  if (own.token === refused) {
    if (!isFresh(own.grant)) await renewalOf(own);
  } else if (renewAt !== undefined && renewAt <= Date.now()) {
    // If it fails the token may be valid for a while, and if not the server says so.
    const done = renewalOf(own).catch(() => undefined);
    if (expiresAt - SPARE_MS <= Date.now()) await done;
  }
}

function isRenewable(own: Credential | undefined): own is Renewable {
  return own?.grant !== undefined;
}

function isFresh({ renewedAt }: Grant): boolean {
  return renewedAt !== undefined && Date.now() - renewedAt < FRESH_MS;
}

/** The renewal that is under way, or a new one. */
async function renewalOf(own: Renewable): Promise<void> {
  if (renewing?.token !== own.token) {
    throwIfFailed(own.grant);
    const done = navigator.locks
      .request(NAME, () => renew(own))
      .finally(() => {
        if (renewing?.token === own.token) renewing = undefined;
      });
    renewing = { token: own.token, done };
  }
  await renewing.done;
}

/** Holds the lock: no other tab renews. @throws ProviderError if the provider fails, unless it refuses the grant */
async function renew(own: Renewable): Promise<void> {
  if (isCurrent(own)) await askTabs(own.grant);
  // The person may have signed out, or another tab may have renewed the token or failed to do so.
  if (!isCurrent(own)) return;
  throwIfFailed(own.grant);
  const { tokenEndpoint, clientId, refreshToken } = own.grant;
  try {
    const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken };
    const tokens = await tokensFor(tokenEndpoint, form);
    const renewed = { token: tokens.access, grant: grantOf(tokens, own.grant) };
    if (isCurrent(own)) {
      replace(renewed);
      publish({ kind: 'renewed', refreshToken, credential: renewed });
    } else if (renewed.grant) void revoke(renewed.grant);
  } catch (error) {
    if (!(error instanceof ProviderError) || !isCurrent(own)) throw error;
    if (error.code === undefined || !REFUSALS.has(error.code)) {
      const { status, message } = error;
      failed(refreshToken, error);
      publish({ kind: 'failed', refreshToken, status, message });
      throw error;
    }
    renewCredential({ token: own.token });
  }
}

/**
 * Ends at its provider what a sign-in of this tab has begun, unless the person has signed in there again: many providers
 * end all that a client has in one session of a person. Never throws.
 */
async function revoke({ clientId, tokenEndpoint, revocationEndpoint, refreshToken }: Grant): Promise<void> {
  const next = storedCredential()?.grant;
  const isContinued = next?.clientId === clientId && next.tokenEndpoint === tokenEndpoint;
  if (revocationEndpoint === undefined || isContinued) return;
  const form = { client_id: clientId, token: refreshToken, token_type_hint: 'refresh_token' };
  await fetch(revocationEndpoint, { method: 'POST', body: new URLSearchParams(form), keepalive: true }).catch(
    () => undefined,
  );
}

function receive(message: TabMessage): void {
  const { kind, refreshToken } = message;
  const own = storedCredential();
  if (kind === 'wanted') {
    const signIn = redeemed.get(refreshToken);
    if (own && signIn !== undefined && signIn === signInId())
      publish({ kind: 'renewed', refreshToken, credential: own });
  } else if (refreshToken === own?.grant?.refreshToken) {
    if (kind === 'renewed') replace(message.credential);
    else failed(refreshToken, new ProviderError(message.status, message.message));
    asking?.abort();
  }
}

/** Asks the other tabs: one of them may have renewed the token while this one was asleep. */
async function askTabs({ refreshToken }: Grant): Promise<void> {
  asking = new AbortController();
  publish({ kind: 'wanted', refreshToken });
  await wait(ANSWER_MS, asking.signal);
}

/** Whether the credential is still that of this tab. */
function isCurrent({ token, grant }: Renewable): boolean {
  const own = storedCredential();
  return own?.token === token && own.grant?.refreshToken === grant.refreshToken;
}

function replace(next: Credential): void {
  const before = storedCredential()?.grant?.refreshToken;
  const signIn = signInId();
  if (before !== undefined && before !== next.grant?.refreshToken && signIn !== undefined) redeemed.set(before, signIn);
  failure = undefined;
  renewCredential(next);
}

function failed(refreshToken: string, error: ProviderError): void {
  failure = { refreshToken, error, until: Date.now() + PAUSE_MS };
}

function throwIfFailed({ refreshToken }: Grant): void {
  if (failure?.refreshToken === refreshToken && Date.now() < failure.until) throw failure.error;
}

function publish(message: TabMessage): void {
  tabs?.postMessage(message);
}
