import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isLoopback } from '../../../config/index.js';

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

const MAX_CONNECTIONS = 20_000;
const MAX_PER_ADDRESS = 512;

/** How many connections a server accepts. */
export interface ConnectionLimits {
  /** Of all clients. Default: 20,000. */
  readonly total?: number;
  /** Of one address that is not this machine's; undefined: no limit. */
  readonly perAddress: number | undefined;
}

/** The limits of a server (contract access, section 10, rule 4). @param isBehindProxy whether proxies are trusted, whose address all clients share */
export function connectionLimits(isBehindProxy: boolean): ConnectionLimits {
  return { perAddress: isBehindProxy ? undefined : MAX_PER_ADDRESS };
}

/** Closes connections beyond the limits before anything is read from them. Call it before the server listens. */
export function limitConnections(server: Server, { total = MAX_CONNECTIONS, perAddress }: ConnectionLimits): void {
  server.maxConnections = total;
  if (perAddress === undefined) return;
  const open = new Map<string, number>();
  server.prependListener('connection', (socket: Socket) => {
    const address = socket.remoteAddress?.replace(/^::ffff:/, '');
    // Proxies and tests on this machine share its address.
    if (address === undefined || isLoopback(address)) return;
    const count = (open.get(address) ?? 0) + 1;
    if (count > perAddress) {
      socket.destroy();
      return;
    }
    open.set(address, count);
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left === 0) open.delete(address);
      else open.set(address, left);
    });
  });
}
