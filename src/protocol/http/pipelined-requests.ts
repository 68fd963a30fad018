import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of one connection that may wait for the answer to one before them. */
const MOST_WAITING = 64;

/**
 * Bounds the requests that a client sends without waiting for their answers: Node reads them all, and each holds memory
 * until the answers before it are complete. A connection with more is closed. Call it before the server listens.
 */
export function limitPipelining(server: Server): void {
  const waiting = new WeakMap<Socket, number>();
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    // Not behind another answer, as almost always.
    if (response.socket !== null) return;
    const count = (waiting.get(socket) ?? 0) + 1;
    waiting.set(socket, count);
    response.once('socket', () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1));
    if (count > MOST_WAITING) socket.destroy();
  });
}
