import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerOf } from '../../../access/index.js';
import { ReceivedBytes } from './received-bytes.js';

/**
 * Reads large bodies only while there is room for them, so that many at once do not exhaust the memory: the others wait
 * in their connections. Call it after `registerRequestLimits`, which refuses bodies that are too long.
 */
export function registerBodyRoom(server: FastifyInstance, received: ReceivedBytes): void {
  server.addHook('preParsing', (request, reply, payload, done) => {
    const bytes = declaredBytes(request);
    if (bytes > ReceivedBytes.SMALL) waitForRoom(request, reply, received, bytes, () => done(null, payload));
    else done(null, payload);
  });
}

/** What a body may have at most. */
function declaredBytes({ headers, routeOptions: { bodyLimit = 0 } }: FastifyRequest): number {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : bodyLimit;
}

function waitForRoom(
  request: FastifyRequest,
  reply: FastifyReply,
  received: ReceivedBytes,
  bytes: number,
  read: () => void,
): void {
  const hold = received.receive(callerOf(request), bytes);
  // JSON is parsed as soon as it is complete. Of other bodies the parts are kept until the answer.
  if (request.headers['content-type']?.startsWith('application/json')) {
    request.raw.once('end', () => setImmediate(() => hold.release()));
  }
  reply.raw.once('close', () => hold.release());
  if (hold.granted) void hold.granted.then(read);
  else read();
}
