import { type Actor, AppError, commandOrigin, matchesGlob } from '../../common/index.js';
import { type Caller, SERVICE_USER_PREFIX } from '../identity/caller.js';
import type { KeyOrigin } from '../ports/api-key-store.js';
import { PATTERN_SCOPES, type PatternScope, Scopes } from '../identity/scopes.js';
import type { ApiKey } from './api-key.js';
import type { KeyManager } from './api-keys.js';

/** Granted on the command line alone (contract access, section 3.1). */
const OPERATOR_SCOPE = 'admin:tenants';
/** Scopes that restrict: a key without any of the kind is allowed more. */
const RESTRICTING: readonly PatternScope[] = ['agents', 'tools'];

/** The operator at the command line, who may have any key made. @param user of the machine */
export function operator(user: string): KeyManager {
  return { name: `cli:${user}`, origin: commandOrigin(user), authorize: () => undefined };
}

/** A caller with the scope `admin:keys`: it can grant only what it has itself, to users and accounts that it may act for. */
export function keyManager(caller: Caller): KeyManager {
  return {
    name: nameOf(caller.actor),
    account: caller.actor.account,
    origin: caller.origin(),
    authorize: (key, known) => {
      const problem =
        grantProblem(caller.scopes, new Scopes(key.scopes)) ??
        pinProblem(caller, key.userId) ??
        accountProblem(caller, key, known);
      if (problem !== undefined) throw new AppError('PERMISSION_DENIED', problem);
    },
  };
}

/** Why a key with the scopes cannot be granted by somebody with others; undefined if it can. */
export function grantProblem(held: Scopes, wanted: Scopes): string | undefined {
  const missing = wanted.list.find((scope) => !isCovered(held, scope));
  if (missing !== undefined) return `The scope ${missing} cannot be granted: the caller does not have it`;
  const open = RESTRICTING.find((kind) => held.patterns(kind).length > 0 && wanted.patterns(kind).length === 0);
  return open && `A key without a scope ${open}: cannot be granted: the caller is restricted by one`;
}

function isCovered(held: Scopes, scope: string): boolean {
  if (scope === OPERATOR_SCOPE) return false;
  if (held.list.includes(scope)) return true;
  const kind = PATTERN_SCOPES.find((one) => scope.startsWith(`${one}:`));
  if (kind === undefined) return false;
  const pattern = scope.slice(kind.length + 1);
  // A literal name reaches an internal agent, which no glob does.
  if (kind === 'agents' && !pattern.includes('*')) return false;
  const patterns = held.patterns(kind);
  if (RESTRICTING.includes(kind) && patterns.length === 0) return true;
  // The `*` of the narrower pattern is matched by that of the wider one, with everything it stands for.
  return patterns.some((own) => matchesGlob(own, pattern, { question: false }));
}

function pinProblem(caller: Caller, userId: ApiKey['userId']): string | undefined {
  if (userId === null || caller.principal.userId === userId || caller.scopes.matches('users', userId)) return undefined;
  return 'The key cannot be pinned to a user that the caller may not act for';
}

/**
 * Why a caller may not have a key of an account; undefined if it may: of its own account, of one that its `users:` scopes
 * cover as `service:<account>`, and of one all of whose keys it has made itself, so that it has had their secrets.
 */
function accountProblem(
  caller: Caller,
  { account, userId }: Pick<ApiKey, 'account' | 'userId'>,
  known: readonly KeyOrigin[],
): string | undefined {
  const own = caller.identity?.userId ?? null;
  const isOwn = caller.actor.account === account && (userId !== null || own === null);
  if (isOwn || caller.scopes.matches('users', `${SERVICE_USER_PREFIX}${account}`)) return undefined;
  // The credential itself, and for a key those that were rotated before it.
  const names = new Set([nameOf(caller.actor)]);
  for (const key of known) {
    if (key.account === caller.actor.account && key.userId === own) names.add(nameOf({ kind: 'key', id: key.id }));
  }
  const isMade = known.every((key) => key.account !== account || names.has(key.createdBy));
  return isMade ? undefined : `The caller may not act for ${SERVICE_USER_PREFIX}${account}, so it cannot have its keys`;
}

function nameOf({ kind, id }: Pick<Actor, 'kind' | 'id'>): string {
  return `${kind}:${id}`;
}
