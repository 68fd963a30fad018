import { createHmac, timingSafeEqual } from 'node:crypto';
import { isPlainObject } from '../../common/index.js';
import type { ServerKey } from '../../config/index.js';
import type { Identity } from '../identity/identity.js';

const FORM = /^parley_tk_([\w-]{1,8000})\.([\w-]{43})$/;

/** What a ticket says (contract access, section 3.4). Times are milliseconds since the epoch. */
export interface TicketClaims {
  /** A random UUID. */
  readonly id: string;
  /** The only path that it opens, without a query. */
  readonly path: string;
  /** Whose it is: the credential that it was issued for, and the user that the caller named. */
  readonly identity: Identity;
  readonly openUntil: number;
  /** Until when an event stream may be opened again by a client that has had a part of it. */
  readonly reopenUntil: number;
}

/** Writes and reads tickets: `parley_tk_`, the claims, and an HMAC over them. */
export class TicketSigner {
  /** @param keys the first signs, all are accepted; at least one */
  constructor(private readonly keys: readonly ServerKey[]) {}

  /** A ticket; undefined when it would be too long for an address, because of very many scopes. */
  sign(claims: TicketClaims): string | undefined {
    const [key] = this.keys;
    if (!key) throw new Error('No key for tickets is configured');
    const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
    const ticket = `parley_tk_${payload}.${mac(key, payload).toString('base64url')}`;
    return FORM.test(ticket) ? ticket : undefined;
  }

  /** What a ticket says; undefined when this server did not sign it. Its times are not checked. */
  read(ticket: string): TicketClaims | undefined {
    const [, payload = '', signature = ''] = FORM.exec(ticket) ?? [];
    const given = Buffer.from(signature, 'base64url');
    // Two texts may be the same bytes: only the one that was written is accepted.
    const isExact = payload !== '' && given.toString('base64url') === signature;
    const isSigned = isExact && this.keys.some((key) => timingSafeEqual(mac(key, payload), given));
    if (!isSigned) return undefined;
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    return isPlainObject(claims) ? (claims as unknown as TicketClaims) : undefined;
  }
}

function mac({ secret }: ServerKey, payload: string): Buffer {
  return createHmac('sha256', secret).update(`parley ticket v1\n${payload}`).digest();
}
