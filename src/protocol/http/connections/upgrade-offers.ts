import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

const WEBSOCKET = /(^|,)\s*websocket\s*(,|$)/i;

/** A request, with what Node has found and does not document: whether it offers an upgrade that a listener may take. */
type ParsedRequest = IncomingMessage & { upgrade?: boolean | null };

/** What Node keeps on a connection and does not document: its parser, which hands on each request once its headers are there. */
interface ParsedSocket extends Socket {
  readonly parser?: { onIncoming: (request: ParsedRequest, shouldKeepAlive: boolean) => number } | null;
}

/**
 * Answers requests that offer an upgrade to anything but WebSocket as if they did not offer it (RFC 9110, section 7.8):
 * Java's `HttpClient` offers `h2c` with every first request, others offer `TLS`. A server with a listener for `upgrade`
 * would hand all of them to that listener.
 *
 * Call it before `ConnectionQueue.before`. Node 24.9 has `shouldUpgradeCallback` for it.
 */
export function ignoreOtherUpgrades(server: Server): void {
  // After Node's own listener, which gives the connection its parser.
  server.on('connection', ({ parser }: ParsedSocket) => {
    if (!parser) return;
    const { onIncoming } = parser;
    parser.onIncoming = (request, shouldKeepAlive) => {
      if (request.upgrade === true && !WEBSOCKET.test(request.headers.upgrade ?? '')) request.upgrade = false;
      return onIncoming.call(parser, request, shouldKeepAlive);
    };
  });
}
