import type { Caller } from '../../access/index.js';

/**
 * The user that a request acts for (contract access, section 4). Without authentication and for a key, `user` names it;
 * in a request with a user's own credential it is only repeated.
 */
export function bodyUserOf({ identity }: Caller, user: unknown): string | undefined {
  const namesUser = identity === undefined || identity.actor.kind === 'key';
  return namesUser && typeof user === 'string' ? user : undefined;
}
