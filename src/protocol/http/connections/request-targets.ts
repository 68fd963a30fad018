import type { IncomingMessage, Server } from 'node:http';

const SLASH = '/'.charCodeAt(0);
const ABSOLUTE = /^https?:\/\/([^/?#@]+)(.*)$/is;

/** Has the targets of a server's requests read as `readTarget`. Call it after the other listeners are there, and before the server listens. */
export function readTargets(server: Server): void {
  server.prependListener('request', readTarget);
}

/**
 * Reads a target in absolute form (`GET http://host/path`), as clients of a proxy send it, as its path. The host in the
 * target counts, and not the header (RFC 9112, section 3.2.2).
 */
export function readTarget(request: IncomingMessage): void {
  const { url = '/' } = request;
  if (url.charCodeAt(0) === SLASH) return;
  const [, host, path = ''] = ABSOLUTE.exec(url) ?? [];
  if (host === undefined) return;
  request.headers.host = host;
  request.url = path.startsWith('/') ? path : `/${path}`;
}
