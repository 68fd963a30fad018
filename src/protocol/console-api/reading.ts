import { type Caller, namedUser } from '../../access/index.js';
import { AppError, type Reach } from '../../common/index.js';

/** The name of the query parameter that names a user. */
const USER = 'user';

/** Whose run or session a request reads by id (contract console, section 1). @throws AppError as `Caller.actingFor` */
export function readReach(caller: Caller, user: string | undefined): Reach {
  return caller.reviewReach(namedUser(USER, user));
}

/** Whose runs or sessions a list shows (contract console, section 1). @throws AppError as `Caller.actingFor` */
export function listReach(caller: Caller, user: string | undefined): Reach {
  const isWide = user !== undefined || caller.identity === undefined || caller.scopes.has('data:tenant');
  return isWide ? readReach(caller, user) : caller.listReach;
}

/** Milliseconds as RFC 3339. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** As `isoTime`; null stays null. */
export function isoTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
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
