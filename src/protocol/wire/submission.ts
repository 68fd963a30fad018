import { type Caller, type NamedUser, type Submitter, traceOf, sentWith } from '../../access/index.js';
import type { Carried, Principal } from '../../common/index.js';
import type { Sessions } from '../../agent/session/index.js';

/** What a request asks a wire for, for whom it acts, resolved once. Run requests begin with it. */
export interface Submission extends Submitter {
  /** The trace that what it causes belongs to; absent if it is not traced. */
  readonly traceparent?: string;
  /** The endpoint that its header names for the end of the run. */
  readonly webhook?: string;
  /** What the run carries on to remote agents. */
  readonly carried?: Carried;
}

/** Who sends a request. */
type Sender = Pick<Caller, 'submitter' | 'identity' | 'traceparent' | 'webhook' | 'carried'>;

/** How a request names its user. */
export interface Naming {
  /** The user that it names apart from the header `X-User-Id`. */
  readonly named?: NamedUser | undefined;
  /** As in `Caller.actingFor`. */
  readonly unnamed?: string;
}

/** For whom a request acts. @throws AppError as `Caller.submitter` and `sentWith` */
export function submissionOf(
  caller: Pick<Caller, 'submitter' | 'traceparent' | 'webhook' | 'carried'>,
  { named, unnamed }: Naming = {},
): Submission {
  const { principal, reach, requester } = caller.submitter(named, unnamed);
  return { principal, reach, requester, ...traceOf(caller), ...sentWith(caller) };
}

/** `submissionOf` in a session, whose owner it acts for. @throws AppError as `submissionOf` and `ownerIn` */
export async function submissionIn(
  sessions: Pick<Sessions, 'ownerOf'>,
  caller: Sender,
  sessionId: string,
  naming: Naming = {},
): Promise<Submission> {
  const submission = submissionOf(caller, naming);
  const principal = await ownerIn(sessions, caller, submission, sessionId);
  return {
    principal,
    reach: submission.reach,
    requester: submission.requester,
    ...traceOf(caller),
    ...sentWith(caller),
  };
}

/**
 * The owner of what a request does in a session. A key that may act for everybody and names nobody goes on in the session
 * of its owner (contract access, section 2); otherwise it is the user that the request acts for.
 *
 * @throws AppError AMBIGUOUS_ID when such a key names nobody and several users have the session
 */
export async function ownerIn(
  sessions: Pick<Sessions, 'ownerOf'>,
  { identity }: Pick<Caller, 'identity'>,
  { principal, reach }: Pick<Submitter, 'principal' | 'reach'>,
  sessionId: string,
): Promise<Principal> {
  if (identity === undefined || reach.of === 'user') return principal;
  return (await sessions.ownerOf(reach, sessionId)) ?? principal;
}

/** `ownerIn` for a request that starts nothing. @throws AppError as `submissionIn` */
export function sessionOwner(
  sessions: Pick<Sessions, 'ownerOf'>,
  caller: Pick<Caller, 'submitter' | 'identity'>,
  sessionId: string,
  { named, unnamed }: Naming = {},
): Promise<Principal> {
  return ownerIn(sessions, caller, caller.submitter(named, unnamed), sessionId);
}
