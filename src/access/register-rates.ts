import type { FastifyInstance } from 'fastify';
import { callerOf } from './caller.js';
import { rateHeaders } from './limits/rate-headers.js';
import { type RequestRates, tooMany } from './limits/request-rates.js';
import { needOf } from './needs.decorator.js';

/**
 * Counts the requests of every caller before their bodies are read, and shows it what is left (contract access,
 * section 6). To be called once, after `registerAccess`.
 */
export function registerRates(server: FastifyInstance, rates: RequestRates): void {
  server.addHook('onRequest', (request, reply, done) => {
    const caller = callerOf(request);
    const counting = caller && rates.count(caller, needOf(request) ?? 'caller');
    if (!counting) {
      done();
      return;
    }
    counting.then((decision) => {
      reply.headers(rateHeaders(decision, request.url));
      if (decision.allowed) {
        done();
        return;
      }
      // The body is not read, so the connection cannot be used again.
      reply.header('connection', 'close');
      done(tooMany('Too many requests', decision));
    }, done);
  });
}
