import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  Logger,
  type NestInterceptor,
  Optional,
  StreamableFile,
} from '@nestjs/common';
import { Observable, type Subscriber, Subscription } from 'rxjs';
import { callerOf, OpenSlots } from '../../../access/index.js';
import { OPENING_FRAME } from './frames.js';
import { ActiveStreams } from './active-streams.js';
import { isStreamRoute } from './sse.decorators.js';
import type { SseWriter } from './sse-writer.js';
import { StreamCut } from './stream-cut.js';
import { type StreamClient, streamClientOf } from './stream-client.js';

/** Milliseconds after which an accepted stream without an event sends its headers and a comment. */
const OPENING_MS = 1000;

/** Proxies neither change a stream nor hold it back. */
const UNBUFFERED = { 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' };
const HEADERS = {
  ...UNBUFFERED,
  connection: 'keep-alive',
  'content-type': 'text/event-stream; charset=utf-8',
};
const CLOSING_HEADERS = { ...HEADERS, connection: 'close' };

/**
 * Turns the `Observable<readonly string[]>` of a stream route into an event stream. The first frames decide: an
 * error before them goes to the exception filter and is a real 4xx or 5xx; a later one cuts the stream. An empty batch
 * means that the request is accepted; from then on the headers go out after a second at the latest. Anything
 * that is not an array is sent as a plain JSON answer. When the client leaves, the source is
 * unsubscribed at once. It is around all other interceptors, which see frames and not the connection.
 */
@Injectable()
export class SseInterceptor implements NestInterceptor<readonly string[] | object, unknown> {
  private readonly logger = new Logger(SseInterceptor.name);

  constructor(
    private readonly streams: ActiveStreams,
    @Optional() private readonly slots?: OpenSlots,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler<readonly string[] | object>): Observable<unknown> {
    if (!isStreamRoute(context.getHandler())) return next.handle();
    const client = streamClientOf(context);
    this.takeSlot(client);
    return new Observable<unknown>((out) => {
      const answer = new StreamingAnswer(this.streams, this.logger, client, out);
      answer.follow(next.handle());
      return () => answer.release();
    });
  }

  /** Until the answer is complete, also when it turns out to be plain JSON: a run is not started for a refused stream. */
  private takeSlot({ request, reply }: StreamClient): void {
    const caller = callerOf(request);
    if (caller && this.slots) reply.raw.once('close', this.slots.take(caller, 'streams'));
  }
}

/** One request's way from the handler's Observable to its answer. */
class StreamingAnswer {
  private readonly source = new Subscription();
  private writer: SseWriter | undefined;
  private openingTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly streams: ActiveStreams,
    private readonly logger: Logger,
    private readonly client: StreamClient,
    private readonly out: Subscriber<unknown>,
  ) {}

  follow(batches: Observable<readonly string[] | object>): void {
    this.source.add(
      batches.subscribe({
        next: (batch) => (Array.isArray(batch) ? this.take(batch as readonly string[]) : this.hand(batch)),
        error: (error: unknown) => this.fail(error),
        complete: () => this.finish(),
      }),
    );
  }

  /** The answer was handed on, or the client left before there was one. */
  release(): void {
    clearTimeout(this.openingTimer);
    if (!this.writer) this.source.unsubscribe();
  }

  /**
   * Whether the connection is closed after the answer: the client has asked for it, nothing else ends a stream of
   * HTTP/1.0, or the server sends its clients away. The last is not said to clients that take every clean end for the end
   * of the answer: where a connection is to be closed, some of them take a lost server for a clean end, too.
   */
  private get endsConnection(): boolean {
    const { request, reply, controlFrames } = this.client;
    if (request.raw.httpVersion === '1.0') return true;
    if (controlFrames.isCutAtShutdown === true) return /\bclose\b/i.test(request.headers.connection ?? '');
    return this.streams.isDraining || !reply.raw.shouldKeepAlive;
  }

  private take(frames: readonly string[]): void {
    if (frames.length === 0) {
      if (!this.writer) this.openingTimer ??= setTimeout(() => this.take([OPENING_FRAME]), OPENING_MS).unref();
      return;
    }
    const writer = this.writer ?? this.begin();
    writer?.send(frames);
  }

  /** Hands a plain answer on, or a binary stream. */
  private hand(answer: object): void {
    // An answer in place of a stream that was accepted.
    clearTimeout(this.openingTimer);
    this.openingTimer = undefined;
    if (answer instanceof StreamableFile) this.client.reply.headers(UNBUFFERED);
    this.out.next(answer);
  }

  /** Commits to a stream: from here on an error can only cut it. */
  private begin(): SseWriter | undefined {
    clearTimeout(this.openingTimer);
    try {
      this.writer = this.streams.create(this.client, () => this.source.unsubscribe());
    } catch (error) {
      this.source.unsubscribe();
      this.out.error(error);
      return undefined;
    }
    this.client.isStreaming = true;
    this.client.reply.headers(this.endsConnection ? CLOSING_HEADERS : HEADERS);
    const { headers } = this.client.controlFrames;
    if (headers) this.client.reply.headers(headers);
    // Not in a StreamableFile, which keeps the request until the whole heap is collected.
    this.out.next(this.writer);
    this.out.complete();
    // Fastify takes nothing from the body of an answer to HEAD, or of one that was sent already, and does not close it.
    if (this.client.request.method === 'HEAD' || this.client.reply.sent) this.writer.destroy();
    return this.writer;
  }

  private fail(error: unknown): void {
    if (!this.writer) {
      this.out.error(error);
      return;
    }
    if (!(error instanceof StreamCut)) {
      this.logger.error('An event stream was cut', error instanceof Error ? error.stack : String(error));
    }
    this.writer.destroy();
  }

  /** The handler has completed: a plain JSON response was sent, or all frames were. */
  private finish(): void {
    const writer = this.writer ?? (this.openingTimer ? this.begin() : undefined);
    if (!writer) {
      if (!this.openingTimer) this.out.complete();
      return;
    }
    writer.finish();
  }
}
