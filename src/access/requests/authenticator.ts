import type { IncomingMessage } from 'node:http';
import { missingCredential, invalidCredential } from '../access-errors.js';
import type { AccessSettings } from '../access.settings.js';
import { AnonymousCaller, AuthenticatedCaller, type Caller, type CallerSurroundings } from '../identity/caller.js';
import { clientAddress } from '../network/client-address.js';
import { presentedToken } from '../identity/credential.js';
import type { CredentialVerifier, Identity, PresentedCredential } from '../identity/identity.js';
import type { RequestRates } from '../limits/index.js';
import { ticketOf, type Tickets, type TicketUse } from '../tickets/tickets.js';

/** The settings that decide how credentials are taken. */
type AuthenticatorSettings = Pick<AccessSettings, 'isAuthenticated' | 'actAsMismatch'> &
  Partial<Pick<AccessSettings, 'trustedProxies'>>;

/** Determines who sends a request, by its credential: the only place that turns credentials into callers. */
export class Authenticator {
  private readonly surroundings: CallerSurroundings;

  /**
   * @param verifiers those of the methods that are switched on, in the order in which they are asked
   * @param rates what counts the credentials of an address that are not valid
   * @param tickets absent: none are accepted
   * @param around what callers are given; absent: nothing is carried on
   */
  constructor(
    private readonly settings: AuthenticatorSettings,
    private readonly verifiers: readonly CredentialVerifier[],
    private readonly rates?: Pick<RequestRates, 'refusal'>,
    private readonly tickets?: Pick<Tickets, 'redeem'>,
    around: Omit<CallerSurroundings, 'trusted'> = {},
  ) {
    this.surroundings = { ...around, trusted: settings.trustedProxies };
  }

  /**
   * The caller of a request. A promise only where a verifier has to ask somebody.
   *
   * @throws AppError AUTH_FAILED, PERMISSION_DENIED, IDENTITY_UNAVAILABLE as `CredentialVerifier.verify`;
   *   RATE_LIMIT_EXCEEDED in place of AUTH_FAILED from an address that tries too many credentials
   */
  authenticate(request: IncomingMessage): Caller | Promise<Caller> {
    if (!this.settings.isAuthenticated) return new AnonymousCaller(request, this.surroundings);
    const address = clientAddress(request, this.settings.trustedProxies);
    try {
      const asked = this.ask({ token: presentedToken(request), request, address });
      return asked instanceof Promise ? asked.catch((error: Error) => this.refuse(error, address)) : asked;
    } catch (error) {
      return this.refuse(error as Error, address);
    }
  }

  /** @throws the error, or RATE_LIMIT_EXCEEDED */
  private async refuse(error: Error, address: string): Promise<never> {
    throw (await this.rates?.refusal(error, address)) ?? error;
  }

  /**
   * The caller of a request that opens an event stream or a socket: instead of a credential it may have a ticket
   * (contract access, section 3.4).
   *
   * @throws AppError as `authenticate`
   */
  authenticateOpening(request: IncomingMessage, use: TicketUse): Caller | Promise<Caller> {
    const ticket = this.settings.isAuthenticated && this.tickets ? ticketOf(request, use) : undefined;
    if (ticket === undefined) return this.authenticate(request);
    const address = clientAddress(request, this.settings.trustedProxies);
    return this.byTicket(ticket, request, use).catch((error: Error) => this.refuse(error, address));
  }

  /** The caller for an identity that was verified in another way, such as by a ticket. */
  callerFor(identity: Identity, request: IncomingMessage): Caller {
    return new AuthenticatedCaller(identity, request, this.settings.actAsMismatch, this.surroundings);
  }

  /** Whether a caller's credential still holds. */
  async isCurrent({ identity }: Pick<Caller, 'identity'>, now: number): Promise<boolean> {
    if (!identity) return true;
    if (identity.expiresAt !== undefined && identity.expiresAt <= now) return false;
    const verifier = this.verifiers.find(({ method }) => method === METHOD_OF_ACTOR[identity.actor.kind]);
    return verifier ? await verifier.isCurrent(identity) : false;
  }

  private async byTicket(ticket: string, request: IncomingMessage, use: TicketUse): Promise<Caller> {
    if (presentedToken(request) !== undefined) throw invalidCredential('The request has two different credentials');
    const redeemed = await this.tickets?.redeem(ticket, request, use);
    if (!redeemed || !(await this.isCurrent(redeemed, redeemed.at))) throw invalidCredential();
    return this.callerFor(redeemed.identity, request);
  }

  private ask(credential: PresentedCredential): Caller | Promise<Caller> {
    for (const [index, verifier] of this.verifiers.entries()) {
      const found = verifier.verify(credential);
      if (found instanceof Promise) return this.askRest(found, credential, index + 1);
      if (found) return this.callerFor(found, credential.request);
    }
    throw refusal(credential);
  }

  private async askRest(
    asked: Promise<Identity | undefined>,
    credential: PresentedCredential,
    next: number,
  ): Promise<Caller> {
    let found = await asked;
    for (const verifier of this.verifiers.slice(next)) found ??= await verifier.verify(credential);
    if (!found) throw refusal(credential);
    return this.callerFor(found, credential.request);
  }
}

const METHOD_OF_ACTOR = { key: 'keys', user: 'oidc', proxy: 'proxy', cli: undefined, none: undefined } as const;

function refusal({ token }: PresentedCredential): Error {
  return token === undefined ? missingCredential() : invalidCredential();
}
