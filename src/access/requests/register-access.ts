import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { checkHops } from '../../common/index.js';
import type { BrowserPolicy } from '../browsers/browser-policy.js';
import { type Caller, setCaller } from '../identity/caller.js';
import { rateHeaders } from '../limits/rate-headers.js';
import type { RateDecision } from '../limits/rate-limits.js';
import { type RequestRates, tooMany } from '../limits/request-rates.js';
import { isOpen, type Need, needOf, refusesForeignPages } from '../needs.decorator.js';
import { acceptsTicket } from '../tickets/ticket-routes.js';
import type { Authenticator } from './authenticator.js';

/** What decides about a request. */
export interface AccessChecks {
  readonly browsers: BrowserPolicy;
  readonly authenticator: Authenticator;
  readonly rates: Pick<RequestRates, 'count'>;
}

/**
 * Decides who sends a request, and whether they may, before its body is read: for every route, and for addresses
 * without one (contract access, section 3.8). Counts the requests of every caller, and shows it what is left (contract
 * access, section 6). To be called once.
 */
export function registerAccess(server: FastifyInstance, checks: AccessChecks): void {
  // Without promises where nothing has to be looked up: this runs for every request.
  server.addHook('onRequest', (request, reply, done) => {
    const need = request.is404 ? 'caller' : (needOf(request) ?? 'caller');
    let admission: Admission | Promise<Admission>;
    try {
      admission = admit(request, need, checks);
    } catch (error) {
      refuse(error as Error, need, reply, done);
      return;
    }
    if (admission instanceof Promise) {
      admission.then(
        (decision) => finish(decision, request, reply, done),
        (error: Error) => refuse(error, need, reply, done),
      );
    } else finish(admission, request, reply, done);
  });
}

/** What is left to an admitted caller; undefined when its requests are not counted. */
type Admission = RateDecision | undefined;
type Done = (error?: Error) => void;

/** @throws an error for whoever may not send the request, or a promise that is rejected with it */
function admit(
  request: FastifyRequest,
  need: Need,
  { browsers, authenticator, rates }: AccessChecks,
): Admission | Promise<Admission> {
  checkHops(request.headers);
  browsers.check(request.raw, need, { isStrict: refusesForeignPages(request) });
  if (need === 'public') return undefined;
  const permit = (caller: Caller): Admission | Promise<Admission> => {
    setCaller(request, caller);
    if (!isOpen(need) && need !== 'caller') caller.need(...need);
    return rates.count(caller, need);
  };
  const caller = acceptsTicket(request)
    ? authenticator.authenticateOpening(request.raw, 'stream')
    : authenticator.authenticate(request.raw);
  return caller instanceof Promise ? caller.then(permit) : permit(caller);
}

function finish(decision: Admission, request: FastifyRequest, reply: FastifyReply, done: Done): void {
  if (decision) reply.headers(rateHeaders(decision, request.url));
  if (decision?.allowed !== false) {
    done();
    return;
  }
  // The body is not read, so the connection cannot be used again.
  reply.header('connection', 'close');
  done(tooMany('Too many requests', decision));
}

/** The body of a refused request is not read, so the connection cannot be used again. */
function refuse(error: Error, need: Need, reply: FastifyReply, done: Done): void {
  if (need === 'optional') {
    done();
    return;
  }
  reply.header('connection', 'close');
  done(error);
}
