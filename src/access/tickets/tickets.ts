import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { AppError, Clock, IdFactory } from '../../common/index.js';
import { keyRing, type ServerKey, ServerSettings } from '../../config/index.js';
import { invalidCredential } from '../access-errors.js';
import { AccessSettings } from '../access.settings.js';
import type { Caller } from '../identity/caller.js';
import type { Identity } from '../identity/identity.js';
import { UsedTickets } from '../ports/used-tickets.js';
import { TicketSigner } from './ticket-signer.js';

/** The file of the key that a server without configured keys creates. */
const KEY_FILE = 'access-ticket-key';
const OPEN_MS = 60_000;
const REOPEN_MS = 900_000;
const PROTOCOL_PREFIX = 'parley.ticket.';

/** What a ticket opens: an event stream, again and again for a while, or a WebSocket, once. */
export type TicketUse = 'stream' | 'socket';

/** A ticket, as its caller gets it. */
export interface IssuedTicket {
  readonly ticket: string;
  /** When it opens nothing any more that was not open before, in milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** What a ticket was turned into. */
export interface Redeemed {
  readonly identity: Identity;
  /** When it was checked, in milliseconds since the epoch. */
  readonly at: number;
}

/** Issues and accepts tickets, for clients that cannot send headers (contract access, section 3.4). */
@Injectable()
export class Tickets {
  private made: TicketSigner | undefined;

  constructor(
    private readonly settings: AccessSettings,
    private readonly server: ServerSettings,
    private readonly used: UsedTickets,
    private readonly clock: Clock,
    private readonly ids: IdFactory,
  ) {}

  /**
   * A ticket of a caller.
   *
   * @param path without a query
   * @throws AppError INVALID_PARAMETER for a credential with too many scopes
   */
  issue(caller: Caller, path: string): IssuedTicket {
    const now = this.clock.now();
    const [openUntil, reopenUntil] = [now + OPEN_MS, now + REOPEN_MS];
    const ticket = this.signer.sign({ id: this.ids.uuid(), path, identity: pinned(caller), openUntil, reopenUntil });
    if (ticket === undefined)
      throw new AppError('INVALID_PARAMETER', 'The credential has too many scopes for a ticket');
    return { ticket, expiresAt: openUntil };
  }

  /**
   * Whose a ticket is. The credential behind it is still to be checked.
   *
   * @throws AppError AUTH_FAILED for a ticket that is not valid, has expired, was issued for another path, or was
   *   used for a socket before
   */
  async redeem(ticket: string, request: IncomingMessage, use: TicketUse): Promise<Redeemed> {
    const claims = this.signer.read(ticket);
    const now = this.clock.now();
    if (!claims || claims.path !== pathOf(request)) throw invalidCredential();
    const isReopened = use === 'stream' && Boolean(request.headers['last-event-id']);
    if (now > (isReopened ? claims.reopenUntil : claims.openUntil)) throw invalidCredential('The ticket has expired');
    const { id, identity, openUntil } = claims;
    if (use === 'socket' && !(await this.used.use({ id, tenantId: identity.tenantId, expiresAt: openUntil }))) {
      throw invalidCredential('The ticket was used before');
    }
    return { identity, at: now };
  }

  private get signer(): TicketSigner {
    this.made ??= new TicketSigner(ticketKeys(this.settings, this.server));
    return this.made;
  }
}

/** The keys of tickets: the first signs, all are accepted. Without configured keys one is generated now. */
export function ticketKeys(settings: AccessSettings, server: ServerSettings): readonly ServerKey[] {
  return keyRing(settings.ticketKeys, server.dataDir, KEY_FILE);
}

/**
 * The ticket of a request: in the query, or for a socket among the sub-protocols; undefined without one.
 *
 * @throws AppError AUTH_FAILED for more than one
 */
export function ticketOf({ url = '', headers }: IncomingMessage, use: TicketUse): string | undefined {
  const start = url.indexOf('?');
  const found = start < 0 ? [] : new URLSearchParams(url.slice(start)).getAll('ticket');
  if (use === 'socket') {
    const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((one) => one.trim());
    found.push(...offered.filter(isTicketProtocol).map((one) => one.slice(PROTOCOL_PREFIX.length)));
  }
  if (found.length > 1) throw invalidCredential('The request has more than one credential');
  return found[0];
}

/** Whether a sub-protocol carries a ticket: it must not be repeated in the answer. */
export function isTicketProtocol(protocol: string): boolean {
  return protocol.startsWith(PROTOCOL_PREFIX);
}

/** A caller that named a user acts for that user with the ticket too, whose client cannot send the header. */
function pinned(caller: Caller): Identity {
  const { identity, tenantId, actor, roles, scopes } = caller;
  if (!identity) return { tenantId, actor, userId: undefined, scopes: scopes.list, roles, expiresAt: undefined };
  return caller.headerUser() === undefined ? identity : { ...identity, userId: caller.principal.userId };
}

function pathOf({ url = '/' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '/';
}
