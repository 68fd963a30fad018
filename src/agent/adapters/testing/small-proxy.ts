import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { listenOnLoopback } from '../../../../test/support/loopback-server.js';

/** What a proxy was asked for. */
export interface Asked {
  readonly method: string | undefined;
  /** `host:port` of a tunnel; the whole address of a forwarded request. */
  readonly target: string | undefined;
  /** The value of `Proxy-Authorization`. */
  readonly authorization: string | undefined;
  /** The value of `Host`. */
  readonly host: string | undefined;
}

/** An HTTP proxy on loopback that reaches every host on loopback. */
export interface SmallProxy {
  /** `host:port`. */
  readonly address: string;
  readonly asked: Asked[];
  /** The answers to the next requests and tunnels: a status of the proxy, or `never`. Those after them are let through. */
  readonly refusals: (number | 'never')[];
  close(): Promise<void>;
}

/** Starts a proxy. It forwards requests, and opens tunnels, whatever the name of the host. */
export async function smallProxy(): Promise<SmallProxy> {
  const asked: Asked[] = [];
  const refusals: (number | 'never')[] = [];
  const note = ({ method, url: target, headers }: IncomingMessage): number | 'never' | undefined => {
    const { 'proxy-authorization': authorization, host } = headers;
    asked.push({ method, target, authorization, host });
    return refusals.shift();
  };
  const server = createServer((incoming, response) => {
    const status = note(incoming);
    if (status === undefined) forward(incoming, response);
    else if (status !== 'never') response.writeHead(status).end('words of the proxy');
  });
  const sockets = new Set<Socket>();
  server.on('connect', (incoming: IncomingMessage, socket: Socket) => {
    sockets.add(socket);
    const status = note(incoming);
    if (status === undefined) tunnel(incoming, socket);
    else if (status !== 'never')
      socket.on('error', () => undefined).end(`HTTP/1.1 ${status} Refused\r\nRetry-After: 3\r\n\r\nwords of the proxy`);
  });
  const port = await listenOnLoopback(server);
  return {
    address: `127.0.0.1:${port}`,
    asked,
    refusals,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function forward(incoming: IncomingMessage, response: ServerResponse): void {
  const { port, pathname, search } = new URL(incoming.url ?? '');
  const { method, headers } = incoming;
  const onward = request({ host: '127.0.0.1', port, method, path: pathname + search, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  incoming.pipe(onward);
}

function tunnel(incoming: IncomingMessage, socket: Socket): void {
  const { port } = new URL(`http://${incoming.url}`);
  const target = connect(Number(port || '80'), '127.0.0.1', () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    target.pipe(socket).pipe(target);
  });
  for (const end of [socket, target]) end.on('error', () => undefined);
  socket.on('close', () => target.destroy());
}
