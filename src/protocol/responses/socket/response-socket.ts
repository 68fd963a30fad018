import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { invalidCredential } from '../../../access/index.js';
import { AppError, type ByteHold } from '../../../common/index.js';
import type { SocketRequestSpan } from '../../../telemetry/index.js';
import { type HttpError, toHttpError } from '../../http/errors/http-error.js';
import type { JsonLimits } from '../../http/bodies/json-limits.js';
import type { WireError } from '../../openai/index.js';
import { wireError } from '../responses.errors.js';
import { MessageIntake, type WaitingMessage } from './message-intake.js';
import {
  isSteer,
  isSteering,
  parseMessage,
  requestOf,
  type SocketRequest,
  steerFailed,
  streamIdOf,
  withStreamId,
} from './socket-message.js';
import type { SocketResponder } from './socket-responder.js';

/** Milliseconds that a client has to answer the closing handshake. */
const CLOSING_MS = 1000;
/** Close codes of the WebSocket protocol. */
const GOING_AWAY = 1001;
/** The close code of a connection whose credential no longer holds. */
const POLICY_VIOLATION = 1008;
/** The close code of a connection that ends as intended (RFC 6455). */
const NORMAL = 1000;

/** Bytes that wait for a reader, beyond which its pings are not answered. */
const PONG_BACKLOG = 64 * 1024;

/** The status of a message that got a response. */
const OK = 200;

/** The limits of a connection. */
export interface ResponseSocketOptions {
  /** The nesting that a message may have. */
  readonly jsonLimits: JsonLimits;
  /** Milliseconds between two pings. */
  readonly keepAliveMs: number;
  /** The socket below the WebSocket. */
  readonly raw: Duplex;
  /** The bytes that a message may have. */
  readonly maxBytes: number;
  /** Takes room for a message that arrives. */
  readonly receive: (bytes: number) => ByteHold;
  /** Milliseconds for which a client may take nothing before it is disconnected. */
  readonly slowReaderTimeoutMs: number;
  /** Milliseconds until the connection is closed (contract responses, section B1, rule 7). */
  readonly lifetimeMs: number;
  /** Whether the credential that opened the connection still holds: asked at every message. */
  readonly isCurrent: () => Promise<boolean>;
  /** Calls `end` when that credential ends. Returns how to stop watching. */
  readonly watch: (end: () => void) => () => void;
  /** Begins the span of a message; undefined if traces are not exported. */
  readonly trace: () => SocketRequestSpan | undefined;
}

/**
 * One WebSocket connection (contract responses, section B1): each `response.create` message is answered with
 * the events of its response, one message each, one response at a time. When the client disconnects, the
 * current response is canceled.
 */
export class ResponseSocket {
  private readonly intake: MessageIntake;
  /** Stops watching the credential. */
  private readonly unwatch: () => void;
  /** How many messages the socket has not taken yet. */
  private sending = 0;
  /** When the client last took something while more was waiting for it, by the monotonic clock. */
  private takenAt = 0;
  private readonly gone = new AbortController();
  private readonly timers: NodeJS.Timeout[];
  private isBusy = false;
  /** The response that is being generated, and what its client calls the user of the connection. */
  private current: { readonly id: string; readonly streamId: string | undefined } | undefined;
  private isExpired = false;
  /** The stream of the response in progress, which ends first, has said that the server shuts down. */
  private isToldOfShutdown = false;

  constructor(
    private readonly socket: WebSocket,
    private readonly responder: SocketResponder,
    private readonly options: ResponseSocketOptions,
  ) {
    this.timers = [
      setInterval(() => this.ping(), options.keepAliveMs).unref(),
      setTimeout(() => this.expire(), options.lifetimeMs).unref(),
    ];
    this.intake = new MessageIntake(socket, {
      ...options,
      onMessage: () => void this.work(),
      onLate: () => this.socket.close(POLICY_VIOLATION, 'A message took too long to arrive'),
    });
    // Its answers would pile up if the client took none.
    socket.on('ping', (data: Buffer) => {
      if (socket.bufferedAmount < PONG_BACKLOG) socket.pong(data);
    });
    this.unwatch = options.watch(() => void this.closeRefused());
    socket.on('close', () => this.closed());
    // A broken connection emits `close` too.
    socket.on('error', () => undefined);
  }

  /** Closes the connection because the server shuts down; its run continues. Resolves when it is closed. */
  async shutDown(): Promise<void> {
    this.responder.release();
    this.intake.stop();
    if (!this.isToldOfShutdown) void this.sendError(toHttpError(new AppError('SHUTTING_DOWN')));
    this.socket.close(GOING_AWAY, 'The server is shutting down');
    // A client that does not answer must not keep the process alive.
    const timeout = setTimeout(() => this.socket.terminate(), CLOSING_MS);
    if (!this.gone.signal.aborted) await once(this.gone.signal, 'abort');
    clearTimeout(timeout);
  }

  /** Answers the queued messages one after the other: only one response is generated at a time. */
  private async work(): Promise<void> {
    if (this.isBusy) {
      this.answerSteering();
      return;
    }
    this.isBusy = true;
    while (this.isServed) {
      const message = this.intake.next();
      if (message) await this.answer(message);
      else if (this.intake.takeRefused()) await this.refuse();
      else break;
    }
    this.isBusy = false;
    if (this.isExpired) this.closeExpired();
  }

  /** What concerns the response in progress does not wait for its end. */
  private answerSteering(): void {
    if (!this.isServed) return;
    const message = this.intake.take((data) => isSteering(data, this.options.jsonLimits));
    if (message) void this.answer(message);
  }

  /** Whether further messages are answered. */
  private get isServed(): boolean {
    return !this.gone.signal.aborted && !this.isExpired;
  }

  /** Answers one message within a span of its own. */
  private async answer({ data, release }: WaitingMessage): Promise<void> {
    const span = this.options.trace();
    const status = await this.respond(data, release, span?.traceparent);
    release();
    span?.end(status);
  }

  /** Answers a message that came while too many were waiting. */
  private async refuse(): Promise<void> {
    const message = 'Too many messages are waiting on this connection';
    const error = toHttpError(new AppError('RATE_LIMIT_EXCEEDED', message));
    this.options.trace()?.end(error.status);
    await this.sendError(error);
  }

  /** Errors are sent to the client and do not end the connection. Resolves with the status that HTTP would have. */
  private async respond(
    data: Buffer | undefined,
    release: () => void,
    traceparent: string | undefined,
  ): Promise<number> {
    let streamId: string | undefined;
    try {
      if (!(await this.options.isCurrent())) return await this.closeRefused();
      const message = parseMessage(data, this.options.jsonLimits);
      if (isSteer(message)) return await this.refuseSteering(message);
      streamId = streamIdOf(message);
      const accepted = (id: string): void => {
        this.current = { id, streamId };
        release();
      };
      const send = (json: string): Promise<void> => this.send(withStreamId(json, streamId));
      const { signal: gone } = this.gone;
      await this.responder.respond(requestOf(message), { gone, traceparent, accepted }, send);
      return OK;
    } catch (error) {
      this.isToldOfShutdown ||= error instanceof AppError && error.code === 'SHUTTING_DOWN';
      return this.sendError(toHttpError(error), streamId);
    }
  }

  /** Runs take no further input. Resolves with the status that HTTP would have. */
  private async refuseSteering(message: SocketRequest): Promise<number> {
    const { input = '', previous_response_id: target = '' } = message;
    const lane = this.current?.id === target ? this.current?.streamId : undefined;
    await this.send(withStreamId(JSON.stringify(steerFailed(input, target)), lane));
    return 400;
  }

  /** Resolves when the socket has taken the message, so that a slow client slows down its own response. */
  private send(json: string): Promise<void> {
    if (this.sending === 0) this.takenAt = performance.now();
    this.sending += 1;
    return new Promise((resolve) => {
      const taken = (): void => {
        this.sending -= 1;
        this.takenAt = performance.now();
        resolve();
      };
      if (this.socket.readyState === this.socket.OPEN) this.socket.send(json, taken);
      else taken();
    });
  }

  /** Keeps the connection alive, unless its client takes nothing of what is sent: its run then continues. */
  private ping(): void {
    const { sending, takenAt, options, socket } = this;
    if (sending === 0 || performance.now() - takenAt < options.slowReaderTimeoutMs) {
      socket.ping();
      return;
    }
    this.responder.release();
    socket.terminate();
  }

  /** Resolves with the status of the error. */
  private async sendError(error: HttpError, streamId?: string): Promise<number> {
    await this.sendWireError(error.status, wireError(error), streamId);
    return error.status;
  }

  private sendWireError(status: number, error: WireError, streamId?: string): Promise<void> {
    return this.send(withStreamId(JSON.stringify({ type: 'error', status, error }), streamId));
  }

  /** At the age limit, a response in progress is finished first. */
  private expire(): void {
    this.isExpired = true;
    if (!this.isBusy) this.closeExpired();
  }

  private closeExpired(): void {
    const message = 'This connection has reached its maximum age. Open a new one.';
    const code = 'websocket_connection_limit_reached';
    this.intake.stop();
    void this.sendWireError(400, { message, type: 'invalid_request_error', param: null, code });
    this.socket.close(NORMAL, 'age limit');
  }

  /**
   * The credential has expired or was revoked (contract access, section 3.6): nothing is answered any more, and the run
   * of the response in progress continues.
   */
  private closeRefused(): Promise<number> {
    this.responder.release();
    this.intake.stop();
    const status = this.sendError(toHttpError(invalidCredential()));
    this.socket.close(POLICY_VIOLATION, 'The credential is no longer valid');
    return status;
  }

  private closed(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.unwatch();
    this.intake.stop();
    this.responder.close();
    this.gone.abort();
  }
}
