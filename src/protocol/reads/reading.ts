import { type Caller, namedUser } from '../../access/index.js';
import { AppError, missingScope, type Reach } from '../../common/index.js';

/** The name of the query parameter that names a user. */
const USER = 'user';

/** The data among which a request looks up a run or session by id (contract console, section 1). @throws AppError as `Caller.actingFor` */
export function readReach(caller: Caller, user: string | undefined): Reach {
  return caller.reviewReach(namedUser(USER, user));
}

/** The data from which a list shows runs or sessions (contract console, section 1). @throws AppError as `Caller.actingFor` */
export function listReach(caller: Caller, user: string | undefined): Reach {
  const isWide = user !== undefined || caller.identity === undefined || caller.scopes.has('data:tenant');
  return isWide ? readReach(caller, user) : caller.listReach;
}

/**
 * Why a caller may not change what belongs to a user, such as cancel a run; null if it may.
 *
 * @param user that the request names
 */
export function refusalToChange(caller: Caller, user: string | undefined, owner: string): string | null {
  if (!caller.scopes.has('runs:write')) return missingScope('runs:write').message;
  return refusedBy(() => {
    const reach = caller.reachOf(namedUser(USER, user));
    return reach.of === 'user' && reach.userId !== owner
      ? 'Only runs of users that the caller may act for can be cancelled'
      : null;
  });
}

/** Why a request of a caller may not go on with the session of a user; null if it may. @param user that the request names */
export function refusalToSend(caller: Caller, user: string | undefined, owner: string): string | null {
  if (!caller.scopes.has('runs:write')) return missingScope('runs:write').message;
  // Without authentication a request is of whom it names.
  if (caller.identity === undefined) return null;
  return refusedBy(() =>
    caller.actingFor(namedUser(USER, user)).userId === owner
      ? null
      : `It belongs to ${owner}, and a request that names no user is not sent in that name`,
  );
}

/** @returns what `refusal` returns, or the sentence of the AppError that it throws */
function refusedBy(refusal: () => string | null): string | null {
  try {
    return refusal();
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

/** The time in a query parameter that was checked to be RFC 3339. @throws AppError PARAMETER_VALIDATION */
export function timeOf(field: string, text: string): number {
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return time;
  const message = `${field} must be a time such as 2026-01-31T12:00:00Z`;
  throw new AppError('PARAMETER_VALIDATION', message, { details: [{ path: field, message }] });
}

/** The cursor of a stream: that of a browser that reconnects by itself counts before the parameter. */
export function cursorOf(lastEventId: string | undefined, after: string | undefined): number | undefined {
  if (lastEventId === undefined || lastEventId === '') return after === undefined ? undefined : Number(after);
  if (/^\d{1,12}$/.test(lastEventId)) return Number(lastEventId);
  const message = 'Last-Event-ID must be the id of a frame of this stream';
  throw new AppError('INVALID_PARAMETER', message, { details: [{ path: 'Last-Event-ID', message }] });
}
