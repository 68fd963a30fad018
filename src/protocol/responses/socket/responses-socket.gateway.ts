import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type WebSocket, WebSocketServer } from 'ws';
import { AccessActs, type Caller, isTicketProtocol, UpgradeAdmission } from '../../../access/index.js';
import { AppError } from '../../../common/index.js';
import {
  answerAndClose,
  type HttpError,
  ownSocket,
  readTarget,
  retryHeaders,
  SECURITY_HEADERS,
  toHttpError,
} from '../../http/index.js';
import { openAiPaths } from '../../openai/index.js';
import { errorBody } from '../responses.errors.js';
import { ResponsesSettings } from '../responses.settings.js';
import type { ResponseSocket } from './response-socket.js';
import { ResponseSockets } from './response-sockets.js';

/** The paths that accept a connection. */
export const SOCKET_PATHS: ReadonlySet<string> = new Set(openAiPaths('responses').map((path) => `/${path}`));
/** The sub-protocol that is selected from an offer that also has one with a ticket. */
const PROTOCOL = 'parley';

/** Accepts WebSocket connections on `/responses` of both prefixes, on the port of the server (contract responses, section B). */
@Injectable()
export class ResponsesSocketGateway implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly server: WebSocketServer;
  private readonly open = new Set<ResponseSocket>();
  /** Further headers of the answers to requests that are upgraded. */
  private readonly headersOf = new WeakMap<IncomingMessage, Readonly<Record<string, string>>>();
  private isShuttingDown = false;

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly sockets: ResponseSockets,
    private readonly admission: UpgradeAdmission,
    private readonly acts: AccessActs,
    settings: ResponsesSettings,
  ) {
    const { bodyLimitBytes: maxPayload } = settings.http;
    this.server = new WebSocketServer({ noServer: true, autoPong: false, maxPayload, handleProtocols });
    this.server.on('headers', (lines, request) => lines.push(...headerLines(this.headersOf.get(request) ?? {})));
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

  /** Completes the handshake, or refuses as the wire's routes do. */
  private upgrade(http: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    ownSocket(socket);
    readTarget(request);
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    // Another listener may accept connections on other paths.
    if (!SOCKET_PATHS.has(path) && http.listenerCount('upgrade') > 1) return;
    const headers: Record<string, string> = {};
    this.admit(request, socket, path, headers).then(
      (caller) => {
        this.headersOf.set(request, headers);
        this.server.handleUpgrade(request, socket, head, (connection) => this.connect(connection, request, caller));
      },
      (error: unknown) => {
        const { status } = toHttpError(error);
        if (status === 401 || status === 403) this.acts.refused(error, request, undefined);
        refuse(socket, path, toHttpError(error), headers);
      },
    );
  }

  /** The caller, if the request may open a connection. @param headers as `UpgradeAdmission.admit` @throws AppError */
  private async admit(
    request: IncomingMessage,
    socket: Duplex,
    path: string,
    headers: Record<string, string>,
  ): Promise<Caller> {
    if (this.isShuttingDown) throw new AppError('SHUTTING_DOWN');
    if (SOCKET_PATHS.has(path)) {
      const caller = await this.admission.admit(request, ['runs:write'], headers);
      const release = await this.admission.openSocket(caller);
      if (socket.destroyed) release();
      else socket.once('close', release);
      return caller;
    }
    await this.admission.admit(request, 'caller', headers);
    throw new AppError('RESOURCE_NOT_FOUND', `There is no ${path}`);
  }

  private connect(connection: WebSocket, request: IncomingMessage, caller: Caller): void {
    const socket = this.sockets.create(connection, request, caller);
    this.open.add(socket);
    connection.once('close', () => this.open.delete(socket));
  }
}

/** Selects the first sub-protocol that the client offers, but never one that carries a ticket. */
function handleProtocols(offered: ReadonlySet<string>): string | false {
  const [first = false] = offered;
  if (![...offered].some(isTicketProtocol)) return first;
  return offered.has(PROTOCOL) && PROTOCOL;
}

/** Answers an upgrade request without a WebSocket, with the error body and the headers of the wire's routes. */
function refuse(socket: Duplex, path: string, error: HttpError, headers: Readonly<Record<string, string>>): void {
  const { status } = error;
  const body = JSON.stringify(errorBody(error));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...headerLines({
      connection: 'close',
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'cache-control': 'no-store',
      ...SECURITY_HEADERS,
      ...headers,
      ...retryHeaders(error, path),
      ...error.headers,
    }),
  ];
  answerAndClose(socket, `${head.join('\r\n')}\r\n\r\n${body}`);
}

function headerLines(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}
