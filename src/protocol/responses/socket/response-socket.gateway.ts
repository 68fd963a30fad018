import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { WebSocketServer } from 'ws';
import { HttpSettings } from '../../http/index.js';
import { ResponsesSettings } from '../responses.settings.js';
import { PREFIXES } from '../routes.js';
import { ResponseSocket } from './response-socket.js';
import { SocketTurns } from './socket-turns.js';

const PATHS: ReadonlySet<string> = new Set(PREFIXES.map((prefix) => `/${prefix}/responses`));

/** Takes WebSocket connections on `/responses` of both prefixes, on the server's own port. */
@Injectable()
export class ResponseSocketGateway implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly server: WebSocketServer;
  private readonly open = new Set<ResponseSocket>();
  private isStopping = false;

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly turns: SocketTurns,
    private readonly http: HttpSettings,
    private readonly settings: ResponsesSettings,
  ) {
    this.server = new WebSocketServer({ noServer: true, maxPayload: http.bodyLimitBytes });
  }

  onApplicationBootstrap(): void {
    // An application context serves nothing: it has no adapter.
    const { httpAdapter } = this.host as Partial<HttpAdapterHost>;
    const http = httpAdapter?.getHttpServer() as Server | undefined;
    http?.on('upgrade', (request, socket, head) => this.upgrade(http, request, socket, head));
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    this.server.close();
    await Promise.all([...this.open].map((socket) => socket.shutDown()));
  }

  private upgrade(http: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    if (!PATHS.has(path)) {
      // Somebody else may serve sockets elsewhere.
      if (http.listenerCount('upgrade') === 1) refuse(socket, '404 Not Found');
    } else if (this.isStopping) refuse(socket, '503 Service Unavailable');
    else if (!this.isAllowed(request)) refuse(socket, '403 Forbidden');
    else this.server.handleUpgrade(request, socket, head, (connection) => this.connect(connection));
  }

  private connect(connection: ConstructorParameters<typeof ResponseSocket>[0]): void {
    const { jsonDepthLimit, keepAliveMs } = this.http;
    const { socketLifetimeMs: lifetimeMs } = this.settings;
    const socket = new ResponseSocket(connection, this.turns.make(), { jsonDepthLimit, keepAliveMs, lifetimeMs });
    this.open.add(socket);
    connection.once('close', () => this.open.delete(socket));
  }

  /** Browsers do not ask before they open a socket, so pages of other origins are refused here. */
  private isAllowed({ headers }: IncomingMessage): boolean {
    const { origin } = headers;
    if (origin === undefined) return true;
    const { corsOrigins } = this.http;
    if (corsOrigins.includes('*') || corsOrigins.includes(origin)) return true;
    return URL.canParse(origin) && new URL(origin).host === headers.host;
  }
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}
