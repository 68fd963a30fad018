import { parseDuration, parseNetwork } from '../../common/index.js';
import { SERVICE_USER_PREFIX } from '../identity/caller.js';
import type { OwnLimits } from '../identity/identity.js';
import { checkedName, checkedSlug, invalidField } from '../input-checks.js';
import { isScope } from '../identity/scopes.js';
import { checkedUserId } from '../identity/user-id.js';
import { type ApiKey, DEFAULT_KEY_LIFETIME_MS, DEFAULT_KEY_SCOPES } from './api-key.js';

const MOST_SCOPES = 100;
const MOST_NETWORKS = 100;
const LONGEST_LIFETIME_MS = 3650 * 86_400_000;
const SHORTEST_LIFETIME_MS = 1000;

/** What can be changed of a key, and chosen for a new one. */
export interface ApiKeyFields {
  readonly name?: string | null | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** The networks from which the key is accepted; null for any. */
  readonly networks?: readonly string[] | null | undefined;
  readonly limits?: OwnLimits | null | undefined;
  /** How long the key works from now on, in milliseconds; null for ever. */
  readonly expiresInMs?: number | null | undefined;
}

/** A key that is to be created. */
export interface NewApiKey extends ApiKeyFields {
  readonly account: string;
  /** The user that the key always acts for. */
  readonly userId?: string | null | undefined;
}

/** The parts of a key that its creator chooses. */
export type ChosenFields = Pick<ApiKey, 'account' | 'userId' | 'name' | 'scopes' | 'networks' | 'limits' | 'expiresAt'>;

/**
 * A new key's fields, with their defaults: 90 days, `runs:write` and `runs:read`.
 *
 * @throws AppError INVALID_PARAMETER naming the field
 */
export function newFields({ account, userId = null, ...fields }: NewApiKey, now: number): ChosenFields {
  return {
    account: checkedSlug(account, 'account'),
    userId: checkedUser(userId),
    name: null,
    networks: null,
    limits: null,
    scopes: DEFAULT_KEY_SCOPES,
    expiresAt: now + DEFAULT_KEY_LIFETIME_MS,
    ...changedFields(fields, now),
  };
}

/** The fields that are given. @throws AppError INVALID_PARAMETER naming the field */
export function changedFields(
  { name, scopes, networks, limits, expiresInMs }: ApiKeyFields,
  now: number,
): Partial<Omit<ChosenFields, 'account' | 'userId'>> {
  return {
    ...(name !== undefined && { name: name && checkedName(name, 'name') }),
    ...(scopes !== undefined && { scopes: checkedScopes(scopes) }),
    ...(networks !== undefined && { networks: networks && checkedNetworks(networks) }),
    ...(limits !== undefined && { limits: limits && checkedLimits(limits) }),
    ...(expiresInMs !== undefined && { expiresAt: expiresInMs && now + checkedLifetime(expiresInMs) }),
  };
}

/** A duration such as `90d` in milliseconds, or null for `never`. @throws AppError INVALID_PARAMETER */
export function readLifetime(text: string): number | null {
  return text === 'never' ? null : readDuration(text, 'expires');
}

/** A duration such as `24h` in milliseconds. @throws AppError INVALID_PARAMETER naming `path` */
export function readDuration(text: string, path: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw invalidField(path, 'must be a number with its unit s, m, h or d, such as 24h');
  return ms;
}

function checkedUser(userId: string | null): string | null {
  if (userId?.startsWith(SERVICE_USER_PREFIX)) throw invalidField('user', `must not begin with ${SERVICE_USER_PREFIX}`);
  return checkedUserId(userId ?? undefined, 'user') ?? null;
}

function checkedScopes(scopes: readonly string[]): readonly string[] {
  const unique = [...new Set(scopes)];
  if (unique.length === 0 || unique.length > MOST_SCOPES) throw invalidField('scopes', `must be 1 to ${MOST_SCOPES}`);
  const unknown = unique.find((scope) => !isScope(scope));
  if (unknown === undefined) return unique;
  throw invalidField('scopes', `must be known: ${JSON.stringify(unknown.slice(0, 100))} is not a scope`);
}

function checkedNetworks(networks: readonly string[]): readonly string[] {
  const unique = [...new Set(networks)];
  if (unique.length === 0 || unique.length > MOST_NETWORKS) {
    throw invalidField('networks', `must be 1 to ${MOST_NETWORKS}`);
  }
  const unknown = unique.find((network) => parseNetwork(network) === undefined);
  if (unknown === undefined) return unique;
  const shown = JSON.stringify(unknown.slice(0, 100));
  throw invalidField('networks', `must be IP addresses or networks such as 10.0.0.0/8, but one is ${shown}`);
}

function checkedLimits({ requests, runs }: OwnLimits): OwnLimits {
  const isValid = (limit: number | undefined): boolean =>
    limit === undefined || (Number.isSafeInteger(limit) && limit >= 1 && limit <= 1_000_000);
  if (!isValid(requests) || !isValid(runs)) throw invalidField('limits', 'must be whole numbers from 1 to 1000000');
  return { ...(requests !== undefined && { requests }), ...(runs !== undefined && { runs }) };
}

function checkedLifetime(ms: number): number {
  if (Number.isSafeInteger(ms) && ms >= SHORTEST_LIFETIME_MS && ms <= LONGEST_LIFETIME_MS) return ms;
  throw invalidField('expires', 'must be from 1s to 3650d, or never');
}
