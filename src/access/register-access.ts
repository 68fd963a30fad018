import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticator } from './authenticator.js';
import type { BrowserPolicy } from './browsers/browser-policy.js';
import { type Caller, setCaller } from './caller.js';
import { isOpen, type Need, needOf } from './needs.decorator.js';
import { acceptsTicket } from './tickets/ticket-routes.js';

/**
 * Decides who sends a request, and whether they may, before its body is read: for every route, and for addresses
 * without one (contract access, section 3.8). To be called once.
 */
export function registerAccess(server: FastifyInstance, authenticator: Authenticator, browsers: BrowserPolicy): void {
  server.addHook('onRequest', (request, reply, done) => {
    const need = request.is404 ? 'caller' : (needOf(request) ?? 'caller');
    try {
      browsers.check(request.raw, need);
      if (need === 'public') {
        done();
        return;
      }
      const caller = acceptsTicket(request)
        ? authenticator.authenticateOpening(request.raw, 'stream')
        : authenticator.authenticate(request.raw);
      if (caller instanceof Promise) {
        caller.then(
          (one) => finish(one, need, request, reply, done),
          (error: Error) => refuse(error, need, reply, done),
        );
      } else finish(caller, need, request, reply, done);
    } catch (error) {
      refuse(error as Error, need, reply, done);
    }
  });
}

type Done = (error?: Error) => void;

function finish(caller: Caller, need: Need, request: FastifyRequest, reply: FastifyReply, done: Done): void {
  setCaller(request, caller);
  try {
    if (!isOpen(need) && need !== 'caller') caller.need(...need);
  } catch (error) {
    refuse(error as Error, need, reply, done);
    return;
  }
  done();
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
