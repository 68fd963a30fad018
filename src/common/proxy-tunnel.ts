import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { buildConnector, errors } from 'undici';
import type { HttpProxy } from './environment-proxies.js';
import { ProxyError } from './proxy-error.js';

/** How long a proxy may take to open a tunnel by default, as long as connecting without a proxy. */
const TUNNEL_MS = 10_000;

/** How a tunnel is opened and used. */
export interface TunnelOptions {
  /** Connects by TLS through a socket that is open. */
  readonly tls?: buildConnector.connector;
  /** How long the proxy may take to open it, in milliseconds. Default: 10 s. */
  readonly timeoutMs?: number;
}

/**
 * Connects to https:// servers through a proxy, with CONNECT. The callback gets a `ProxyError` if the proxy refuses.
 */
export function tunnelThrough(
  proxy: HttpProxy,
  { tls = buildConnector({}), timeoutMs = TUNNEL_MS }: TunnelOptions = {},
): buildConnector.connector {
  return (options, callback) => {
    const { hostname, host = hostname, port } = options;
    const target = port === '' ? `${host}:443` : host;
    openTunnel(proxy, target, timeoutMs).then(
      (httpSocket) => tls(Object.assign({}, options, { httpSocket }), callback),
      (error: Error) => callback(error, null),
    );
  };
}

/** A socket that the proxy has connected to the target. */
function openTunnel({ origin, authorization }: HttpProxy, target: string, timeoutMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const request = (origin.startsWith('https:') ? requestHttps : requestHttp)(origin, {
      method: 'CONNECT',
      path: target,
      agent: false,
      headers: { host: target, ...(authorization && { 'proxy-authorization': authorization }) },
    });
    const late = new errors.ConnectTimeoutError('The proxy did not open a tunnel in time');
    const timer = setTimeout(() => request.destroy(late), timeoutMs);
    request.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    request.once('connect', ({ statusCode = 0, headers }: IncomingMessage, socket: Socket, head: Buffer) => {
      clearTimeout(timer);
      // Node has let go of it: until TLS takes it over, and after a refusal, nobody else listens.
      socket.on('error', () => undefined);
      if (statusCode >= 200 && statusCode < 300) {
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
        return;
      }
      socket.destroy();
      reject(new ProxyError(statusCode, headers));
    });
    request.end();
  });
}
