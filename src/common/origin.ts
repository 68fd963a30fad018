import type { Actor } from './authority.js';

/** Who acts: a caller, or the server itself. */
export type AuditActor = Actor | { readonly kind: 'server'; readonly id: string; readonly account?: string };

/** Where an act comes from, as the audit trail keeps it (contract access, section 8). */
export interface Origin {
  readonly actor: AuditActor;
  /** The user that it is done for; null for nobody. */
  readonly userId: string | null;
  /** The id of the request in the log; null without one. */
  readonly requestId: string | null;
  /** The network of the client, /24 or /48; null where it is not known. */
  readonly network: string | null;
}

/** What the server does by itself: chores, expiries, what its code and its settings declare. */
export const SERVER_ORIGIN: Origin = {
  actor: { kind: 'server', id: 'parley' },
  userId: null,
  requestId: null,
  network: null,
};

/** What an operator does at the command line. @param user of the machine */
export function commandOrigin(user: string): Origin {
  return { actor: { kind: 'cli', id: user }, userId: null, requestId: null, network: null };
}
