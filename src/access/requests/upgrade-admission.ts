import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { checkHops } from '../../common/index.js';
import { REQUEST_ID_HEADER, requestIdOf } from '../../telemetry/index.js';
import { BrowserPolicy } from '../browsers/browser-policy.js';
import type { Caller } from '../identity/caller.js';
import { nameRequest } from '../identity/request-place.js';
import { OpenSlots } from '../limits/open-slots.js';
import { rateHeaders } from '../limits/rate-headers.js';
import { RequestRates, tooMany } from '../limits/request-rates.js';
import type { Need } from '../needs.decorator.js';
import { Authenticator } from './authenticator.js';
import { CredentialWatch } from './credential-watch.js';

/**
 * Decides about requests that open a WebSocket, which no hook and no guard of the server sees (contract access,
 * section 3.8).
 */
@Injectable()
export class UpgradeAdmission {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly browsers: BrowserPolicy,
    private readonly rates: RequestRates,
    private readonly slots: OpenSlots,
    private readonly credentials: CredentialWatch,
  ) {}

  /**
   * The caller of a request that may open a WebSocket. The request counts like any other (contract
   * access, section 6).
   *
   * @param headers those of the answer, whatever it will be: gets the id of the request and what shows how much is left
   * @throws AppError for too many hops, a foreign host or origin, a credential that is missing or not valid, a missing scope, and too
   *   many requests
   */
  async admit(
    request: IncomingMessage,
    need: Exclude<Need, 'public' | 'optional'>,
    headers: Record<string, string>,
  ): Promise<Caller> {
    headers[REQUEST_ID_HEADER] = requestIdOf(request);
    nameRequest(request, headers[REQUEST_ID_HEADER]);
    checkHops(request.headers);
    this.browsers.check(request, need);
    const caller = await this.authenticator.authenticateOpening(request, 'socket');
    if (need !== 'caller') caller.need(...need);
    const decision = await this.rates.count(caller, need);
    if (decision) Object.assign(headers, rateHeaders(decision, request.url ?? '/'));
    if (decision?.allowed === false) throw tooMany('Too many requests', decision);
    return caller;
  }

  /**
   * Takes one of the WebSockets that a caller may have open.
   *
   * @returns gives it back
   * @throws AppError RATE_LIMIT_EXCEEDED
   */
  openSocket(caller: Caller): Promise<() => void> {
    return this.slots.openSocket(caller);
  }

  /** As `CredentialWatch.watch`, for a WebSocket as long as it is open. */
  watch(caller: Caller, end: () => void): () => void {
    return this.credentials.watch(caller, end);
  }

  /** Whether the credential that opened a WebSocket still holds: to be asked at every message (contract access, section 3.6). */
  isCurrent(caller: Caller): Promise<boolean> {
    return this.credentials.isCurrent(caller);
  }
}
