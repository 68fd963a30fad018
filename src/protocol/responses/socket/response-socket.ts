import { once } from 'node:events';
import type { WebSocket } from 'ws';
import { AppError } from '../../../common/index.js';
import { type HttpError, toHttpError } from '../../http/http-error.js';
import { wireError, type WireError } from '../responses.errors.js';
import { bodyOf, inLane, laneOf, parseMessage } from './socket-message.js';
import type { SocketTurn } from './socket-turn.js';

/** Messages that may wait behind the response in flight. */
const MAX_WAITING = 16;
/** How long a client may take to agree to the end of its connection, in milliseconds. */
const FAREWELL_MS = 1000;
/** Closing codes of the protocol: the server goes away, or is done with this connection. */
const GOING_AWAY = 1001;
const NORMAL = 1000;

/** What a connection needs from outside. */
export interface ResponseSocketOptions {
  readonly jsonDepthLimit: number;
  readonly keepAliveMs: number;
  readonly lifetimeMs: number;
}

/**
 * One WebSocket connection (contract responses, section B1): each `response.create` message is answered with
 * the events of its response, one message each, one response at a time. What is in flight when the
 * client leaves is cancelled.
 */
export class ResponseSocket {
  /** Messages to be answered in their order; undefined is one that was no text. */
  private readonly waiting: (string | undefined)[] = [];
  /** How many came while too many waited: they are refused in their order too. */
  private refused = 0;
  private readonly gone = new AbortController();
  private readonly timers: NodeJS.Timeout[];
  private isBusy = false;
  private isExpired = false;

  constructor(
    private readonly socket: WebSocket,
    private readonly turn: SocketTurn,
    private readonly options: ResponseSocketOptions,
  ) {
    this.timers = [
      setInterval(() => socket.ping(), options.keepAliveMs).unref(),
      setTimeout(() => this.expire(), options.lifetimeMs).unref(),
    ];
    socket.on('message', (data: Buffer, isBinary: boolean) => this.receive(isBinary ? undefined : data.toString()));
    socket.on('close', () => this.left());
    // A broken connection closes; there is nobody to tell.
    socket.on('error', () => undefined);
  }

  /** Ends the connection because the server stops: runs in flight go on. Resolves when it is closed. */
  async shutDown(): Promise<void> {
    this.turn.release();
    this.fail(toHttpError(new AppError('SHUTTING_DOWN')));
    this.socket.close(GOING_AWAY, 'The server is shutting down');
    // Who does not answer must not keep the process.
    const patience = setTimeout(() => this.socket.terminate(), FAREWELL_MS);
    if (!this.gone.signal.aborted) await once(this.gone.signal, 'abort');
    clearTimeout(patience);
  }

  private receive(text: string | undefined): void {
    if (this.waiting.length >= MAX_WAITING) this.refused += 1;
    else this.waiting.push(text);
    void this.work();
  }

  private async work(): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    while (this.waiting.length > 0 && !this.gone.signal.aborted && !this.isExpired) {
      await this.answer(this.waiting.shift());
    }
    this.isBusy = false;
    for (; this.refused > 0; this.refused -= 1) {
      this.fail(toHttpError(new AppError('RATE_LIMIT_EXCEEDED', 'Too many messages are waiting on this connection')));
    }
    if (this.isExpired) this.close();
  }

  private async answer(text: string | undefined): Promise<void> {
    let lane: string | undefined;
    try {
      const message = parseMessage(text, this.options.jsonDepthLimit);
      lane = laneOf(message);
      await this.turn.run(bodyOf(message), this.gone.signal, (json) => this.send(inLane(json, lane)));
    } catch (error) {
      this.fail(toHttpError(error), lane);
    }
  }

  /** Resolves when the socket has taken the message: a slow reader slows its own answer. */
  private send(json: string): Promise<void> {
    return new Promise((resolve) => {
      if (this.socket.readyState === this.socket.OPEN) this.socket.send(json, () => resolve());
      else resolve();
    });
  }

  private fail(failure: HttpError, lane?: string): void {
    this.tell(failure.status, wireError(failure), lane);
  }

  private tell(status: number, error: WireError, lane?: string): void {
    void this.send(inLane(JSON.stringify({ type: 'error', status, error }), lane));
  }

  private expire(): void {
    this.isExpired = true;
    if (!this.isBusy) this.close();
  }

  private close(): void {
    const message = 'This connection has reached its maximum age. Open a new one.';
    const code = 'websocket_connection_limit_reached';
    this.tell(400, { message, type: 'invalid_request_error', param: null, code });
    this.socket.close(NORMAL, 'age limit');
  }

  private left(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.gone.abort();
  }
}
