import { once } from 'node:events';
import type { WebSocket } from 'ws';
import { invalidCredential } from '../../../access/index.js';
import { AppError, isPlainObject } from '../../../common/index.js';
import type { SocketRequestSpan } from '../../../telemetry/index.js';
import { type HttpError, toHttpError } from '../../http/http-error.js';
import { checkJsonLimits } from '../../http/json-limits.js';
import type { WireError } from '../../openai/index.js';
import { wireError } from '../responses.errors.js';
import type { SocketRequest, SocketResponder } from './socket-responder.js';

/** Messages that may wait behind the response that is being generated. */
const MAX_WAITING = 16;
/** Milliseconds that a client has to answer the closing handshake. */
const CLOSING_MS = 1000;
/** Close codes of the WebSocket protocol. */
const GOING_AWAY = 1001;
/** The close code of a connection whose credential no longer holds. */
const POLICY_VIOLATION = 1008;
/** The close code of a connection that ends as intended (RFC 6455). */
const NORMAL = 1000;

/** The status of a message that got a response. */
const OK = 200;

/** The limits of a connection. */
export interface ResponseSocketOptions {
  /** The nesting that a message may have. */
  readonly jsonDepthLimit: number;
  /** Milliseconds between two pings. */
  readonly keepAliveMs: number;
  /** Milliseconds until the connection is closed (contract responses, section B1, rule 7). */
  readonly lifetimeMs: number;
  /** Whether the credential that opened the connection still holds: asked at every message. */
  readonly isCurrent: () => Promise<boolean>;
  /** Begins the span of a message; undefined if traces are not exported. */
  readonly trace: () => SocketRequestSpan | undefined;
}

/**
 * One WebSocket connection (contract responses, section B1): each `response.create` message is answered with
 * the events of its response, one message each, one response at a time. When the client disconnects, the
 * current response is cancelled.
 */
export class ResponseSocket {
  /** Messages in the order in which they are answered; undefined for a binary one. */
  private readonly waiting: (string | undefined)[] = [];
  /** How many messages came while too many were waiting: they are refused in their turn. */
  private refused = 0;
  private readonly gone = new AbortController();
  private readonly timers: NodeJS.Timeout[];
  private isBusy = false;
  private isExpired = false;

  constructor(
    private readonly socket: WebSocket,
    private readonly responder: SocketResponder,
    private readonly options: ResponseSocketOptions,
  ) {
    this.timers = [
      setInterval(() => socket.ping(), options.keepAliveMs).unref(),
      setTimeout(() => this.expire(), options.lifetimeMs).unref(),
    ];
    socket.on('message', (data: Buffer, isBinary: boolean) => this.receive(isBinary ? undefined : data.toString()));
    socket.on('close', () => this.closed());
    // A broken connection emits `close` too.
    socket.on('error', () => undefined);
  }

  /** Closes the connection because the server shuts down; its run continues. Resolves when it is closed. */
  async shutDown(): Promise<void> {
    this.responder.release();
    this.sendError(toHttpError(new AppError('SHUTTING_DOWN')));
    this.socket.close(GOING_AWAY, 'The server is shutting down');
    // A client that does not answer must not keep the process alive.
    const timeout = setTimeout(() => this.socket.terminate(), CLOSING_MS);
    if (!this.gone.signal.aborted) await once(this.gone.signal, 'abort');
    clearTimeout(timeout);
  }

  /** Queues a message. What exceeds the queue is counted and refused after the current response. */
  private receive(text: string | undefined): void {
    if (this.waiting.length >= MAX_WAITING) this.refused += 1;
    else this.waiting.push(text);
    void this.work();
  }

  /** Answers the queued messages one after the other: only one response is generated at a time. */
  private async work(): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    while (this.waiting.length > 0 && !this.gone.signal.aborted && !this.isExpired) {
      await this.answer(this.waiting.shift());
    }
    this.isBusy = false;
    for (; this.refused > 0; this.refused -= 1) {
      const message = 'Too many messages are waiting on this connection';
      const error = toHttpError(new AppError('RATE_LIMIT_EXCEEDED', message));
      this.options.trace()?.end(error.status);
      this.sendError(error);
    }
    if (this.isExpired) this.closeExpired();
  }

  /** Answers one message within a span of its own. */
  private async answer(text: string | undefined): Promise<void> {
    const span = this.options.trace();
    const status = await this.respond(text, span?.traceparent);
    span?.end(status);
  }

  /** Errors are sent to the client and do not end the connection. Resolves with the status that HTTP would have. */
  private async respond(text: string | undefined, traceparent: string | undefined): Promise<number> {
    let streamId: string | undefined;
    try {
      if (!(await this.options.isCurrent())) return this.closeRefused();
      const message = parseMessage(text, this.options.jsonDepthLimit);
      streamId = streamIdOf(message);
      const send = (json: string): Promise<void> => this.send(withStreamId(json, streamId));
      const { signal: gone } = this.gone;
      await this.responder.respond(requestOf(message), { gone, traceparent }, send);
      return OK;
    } catch (error) {
      return this.sendError(toHttpError(error), streamId);
    }
  }

  /** Resolves when the socket has taken the message, so that a slow client slows down its own response. */
  private send(json: string): Promise<void> {
    return new Promise((resolve) => {
      if (this.socket.readyState === this.socket.OPEN) this.socket.send(json, () => resolve());
      else resolve();
    });
  }

  /** Returns the status of the error. */
  private sendError(error: HttpError, streamId?: string): number {
    this.sendWireError(error.status, wireError(error), streamId);
    return error.status;
  }

  private sendWireError(status: number, error: WireError, streamId?: string): void {
    void this.send(withStreamId(JSON.stringify({ type: 'error', status, error }), streamId));
  }

  /** At the age limit, a response in progress is finished first. */
  private expire(): void {
    this.isExpired = true;
    if (!this.isBusy) this.closeExpired();
  }

  private closeExpired(): void {
    const message = 'This connection has reached its maximum age. Open a new one.';
    const code = 'websocket_connection_limit_reached';
    this.sendWireError(400, { message, type: 'invalid_request_error', param: null, code });
    this.socket.close(NORMAL, 'age limit');
  }

  /** The credential has expired or was revoked: no message is answered any more (contract access, section 3.6). */
  private closeRefused(): number {
    this.waiting.length = 0;
    const status = this.sendError(toHttpError(invalidCredential()));
    this.socket.close(POLICY_VIOLATION, 'The credential is no longer valid');
    return status;
  }

  private closed(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.gone.abort();
  }
}

/** @param text undefined for a binary message. @throws AppError INVALID_JSON, PARAMETER_VALIDATION */
function parseMessage(text: string | undefined, maxDepth: number): SocketRequest {
  if (text === undefined) throw new AppError('INVALID_JSON', 'Messages must be JSON text');
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    throw new AppError('INVALID_JSON', 'The message is not valid JSON');
  }
  checkJsonLimits(message, { maxDepth });
  if (!isPlainObject(message)) throw new AppError('PARAMETER_VALIDATION', 'The message must be a JSON object');
  return message;
}

/** The request in a message. @throws AppError INVALID_PARAMETER for any other type than `response.create` */
function requestOf(message: SocketRequest): SocketRequest {
  const { type, stream: _stream, stream_options: _options, background: _background, ...request } = message;
  if (type === 'response.create') return request;
  const rule = 'type must be response.create';
  throw new AppError('INVALID_PARAMETER', rule, { details: [{ path: 'type', message: rule }] });
}

/** Tells apart several users of one connection; undefined when the message has none. */
function streamIdOf({ stream_id: streamId }: SocketRequest): string | undefined {
  return typeof streamId === 'string' ? streamId : undefined;
}

/** Inserts the member into the JSON text, which avoids parsing and encoding each event again. */
function withStreamId(json: string, streamId: string | undefined): string {
  return streamId === undefined ? json : `${json.slice(0, -1)},"stream_id":${JSON.stringify(streamId)}}`;
}
