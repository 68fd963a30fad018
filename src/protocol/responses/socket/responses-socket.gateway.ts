import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type WebSocket, WebSocketServer } from 'ws';
import { CallerResolver, HttpSettings } from '../../http/index.js';
import { ResponsesSettings } from '../responses.settings.js';
import { pathsOf } from '../responses.wire.js';
import { ResponseSocket } from './response-socket.js';
import { SocketResponders } from './socket-responder.js';

/** The paths that accept a connection. */
const PATHS: ReadonlySet<string> = new Set(pathsOf('responses').map((path) => `/${path}`));

/** Accepts WebSocket connections on `/responses` of both prefixes, on the port of the server (contract responses, section B). */
@Injectable()
export class ResponsesSocketGateway implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly server: WebSocketServer;
  private readonly open = new Set<ResponseSocket>();
  private isShuttingDown = false;

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly responders: SocketResponders,
    private readonly callers: CallerResolver,
    private readonly settings: ResponsesSettings,
    private readonly http: HttpSettings,
  ) {
    this.server = new WebSocketServer({ noServer: true, maxPayload: http.bodyLimitBytes });
  }

  /** Attaches to the server's `upgrade` event; the port is shared with HTTP. */
  onApplicationBootstrap(): void {
    // An application context without a server has no adapter.
    const { httpAdapter } = this.host as Partial<HttpAdapterHost>;
    const http = httpAdapter?.getHttpServer() as Server | undefined;
    http?.on('upgrade', (request, socket, head) => this.upgrade(http, request, socket, head));
  }

  /** Stops accepting connections and closes the open ones. Their runs continue. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isShuttingDown = true;
    this.server.close();
    await Promise.all([...this.open].map((socket) => socket.shutDown()));
  }

  /** Refuses with 404, 503 or 403, or completes the handshake. */
  private upgrade(http: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    if (!PATHS.has(path)) {
      // Another listener may accept connections on other paths.
      if (http.listenerCount('upgrade') === 1) refuse(socket, '404 Not Found');
    } else if (this.isShuttingDown) refuse(socket, '503 Service Unavailable');
    else if (!this.isAllowed(request)) refuse(socket, '403 Forbidden');
    else this.server.handleUpgrade(request, socket, head, (connection) => this.connect(connection, request));
  }

  private connect(connection: WebSocket, request: IncomingMessage): void {
    const { jsonDepthLimit, keepAliveMs } = this.http;
    const { socketLifetimeMs: lifetimeMs } = this.settings;
    const responder = this.responders.create(this.callers.resolve(request));
    const socket = new ResponseSocket(connection, responder, { jsonDepthLimit, keepAliveMs, lifetimeMs });
    this.open.add(socket);
    connection.once('close', () => this.open.delete(socket));
  }

  /** Browsers open a socket without a preflight request, so pages of other origins are refused here. */
  private isAllowed({ headers }: IncomingMessage): boolean {
    const { origin } = headers;
    if (origin === undefined) return true;
    const { corsOrigins } = this.http;
    if (corsOrigins.includes('*') || corsOrigins.includes(origin)) return true;
    return URL.canParse(origin) && new URL(origin).host === headers.host;
  }
}

/** Answers an upgrade request without a WebSocket. */
function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}
