import type { FastifyInstance } from 'fastify';

/** Two years, as browsers ask for. */
const HSTS = 'max-age=63072000';

/** The headers of every answer, of whatever a route does not set itself. */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

/**
 * Sets the headers that keep browsers from misusing answers, and keeps JSON out of caches unless its route says
 * otherwise (contract access, section 10, rule 4).
 *
 * @param options.isHttps whether all clients reach the server over https
 */
export function registerSecurityHeaders(server: FastifyInstance, { isHttps }: { readonly isHttps: boolean }): void {
  const headers = { ...SECURITY_HEADERS, ...(isHttps && { 'strict-transport-security': HSTS }) };
  server.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
  server.addHook('onSend', (_request, reply, _payload, done) => {
    const type = reply.getHeader('content-type');
    if (typeof type === 'string' && type.startsWith('application/json') && !reply.hasHeader('cache-control')) {
      reply.header('cache-control', 'no-store');
    }
    done();
  });
}
