import type { Caller, NamedUser } from '../../access/index.js';
import type { Principal } from '../../common/index.js';
import type { Sessions } from '../../session/index.js';

/**
 * In whose name a request uses a session. A key that may act for everybody and names nobody goes on in the session of
 * its owner (contract access, section 2); otherwise it is the user that the caller acts for.
 *
 * @param named the user that the request names, beside the header `X-User-Id`
 * @param unnamed as in `Caller.actingFor`
 * @throws AppError as `Caller.actingFor`; AMBIGUOUS_ID when such a key names nobody and several users have the session
 */
export async function sessionOwner(
  sessions: Pick<Sessions, 'ownerOf'>,
  caller: Pick<Caller, 'actingFor' | 'identity' | 'reachOf'>,
  sessionId: string,
  { named, unnamed }: { readonly named?: NamedUser | undefined; readonly unnamed?: string } = {},
): Promise<Principal> {
  const acting = caller.actingFor(named, unnamed);
  if (caller.identity === undefined) return acting;
  const reach = caller.reachOf(named);
  if (reach.of === 'user') return acting;
  return (await sessions.ownerOf(reach, sessionId)) ?? acting;
}
