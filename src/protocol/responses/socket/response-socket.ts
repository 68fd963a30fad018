import { once } from 'node:events';
import type { WebSocket } from 'ws';
import { AppError, isPlainObject } from '../../../common/index.js';
import { type Failure, failureOf } from '../../http/failure.js';
import { checkJsonLimits } from '../../http/json-limits.js';
import { wireError, type WireError } from '../responses.errors.js';
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
 * One WebSocket connection (contract responses, B1): each `response.create` message is answered with
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
    this.fail(failureOf(new AppError('SHUTTING_DOWN')));
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
      this.fail(failureOf(new AppError('RATE_LIMIT_EXCEEDED', 'Too many messages are waiting on this connection')));
    }
    if (this.isExpired) this.close();
  }

  private async answer(text: string | undefined): Promise<void> {
    try {
      const body = this.bodyOf(text);
      await this.turn.run(body, this.gone.signal, (json) => this.send(json));
    } catch (error) {
      this.fail(failureOf(error));
    }
  }

  /** @throws AppError for what is no `response.create` message */
  private bodyOf(text: string | undefined): object {
    if (text === undefined) throw new AppError('INVALID_JSON', 'Messages must be JSON text');
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      throw new AppError('INVALID_JSON', 'The message is not valid JSON');
    }
    checkJsonLimits(message, { maxDepth: this.options.jsonDepthLimit });
    if (!isPlainObject(message)) throw new AppError('PARAMETER_VALIDATION', 'The message must be a JSON object');
    const { type, stream: _stream, stream_options: _options, background: _background, ...body } = message;
    if (type === 'response.create') return body;
    const sentence = 'type must be response.create';
    throw new AppError('INVALID_PARAMETER', sentence, { details: [{ path: 'type', message: sentence }] });
  }

  /** Resolves when the socket has taken the message: a slow reader slows its own answer. */
  private send(json: string): Promise<void> {
    return new Promise((resolve) => {
      if (this.socket.readyState === this.socket.OPEN) this.socket.send(json, () => resolve());
      else resolve();
    });
  }

  private fail(failure: Failure): void {
    this.tell(failure.status, wireError(failure));
  }

  private tell(status: number, error: WireError): void {
    void this.send(JSON.stringify({ type: 'error', status, error }));
  }

  private expire(): void {
    this.isExpired = true;
    if (!this.isBusy) this.close();
  }

  private close(): void {
    const message = 'This connection has reached its age limit; open a new one.';
    const code = 'websocket_connection_limit_reached';
    this.tell(400, { message, type: 'invalid_request_error', param: null, code });
    this.socket.close(NORMAL, 'age limit');
  }

  private left(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.gone.abort();
  }
}
