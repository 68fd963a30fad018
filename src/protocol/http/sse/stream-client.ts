import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, callerOf } from '../../../access/index.js';
import { type AbortLike, BackpressureGate } from '../../../common/index.js';
import { HiddenProperty, LightAbortSignal } from '../../../runtime/index.js';
import type { HttpError } from '../errors/http-error.js';

/** What the connection of an event stream needs to know of its wire: its name, and frames that the source does not yield. */
export interface ControlFrames {
  /** The wire of the stream, by which it is counted. */
  readonly wire?: string | undefined;
  /** Whether the stream continues after a cursor of its client. */
  readonly isResumed?: boolean | undefined;
  /** The keep-alive; absent, the comment `ping`. */
  readonly keepAliveFrame?: string | undefined;
  /** Milliseconds without a frame after which it is sent; absent, those of the server. */
  readonly keepAliveMs?: number | undefined;
  /** Further headers of the answer. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The last frame when the server ends the stream to shut down; read once, at that moment. */
  readonly shutdownFrame?: string | undefined;
  /** Whether a server that stops cuts the stream instead of ending it. */
  readonly isCutAtShutdown?: boolean | undefined;
  /** The frames that end a stream whose source fails after the first frame; absent or undefined, the stream is cut. */
  errorFrames?(error: HttpError): readonly string[] | undefined;
}

/** Who reads a stream. */
export interface StreamReader {
  /** Aborts when the client leaves before its answer is complete. */
  readonly gone: AbortLike;
  /** The back-pressure of the client's connection. */
  readonly gate?: BackpressureGate | undefined;
  /** Who reads: when the credential ends, so does the stream. Absent: nobody checks. */
  readonly caller?: Pick<Caller, 'identity'> | undefined;
  /** Closes the connection at the end of the stream. Absent: it serves other streams too, or ends anyway. */
  endConnection?(): void;
  /** Sets the control frames of the stream that answers; to be called before its first frame. */
  useControlFrames?(frames: ControlFrames): void;
}

/** The client of one HTTP request: the same object for the interceptor and the handler. */
export class StreamClient implements StreamReader {
  /** Paused while the connection's buffer is full. */
  readonly gate = new BackpressureGate();
  /** Read by the interceptor and at a shutdown; set by the handler. */
  controlFrames: ControlFrames = {};
  /** True once the answer is an event stream: an error can no longer be answered with a status. */
  isStreaming = false;
  /** Created on first use: most requests never ask for it. */
  private left: AbortLike | undefined;

  constructor(
    readonly request: FastifyRequest,
    readonly reply: FastifyReply,
  ) {}

  /** Aborts when the connection closes before the answer is complete. The same signal at every call. */
  get gone(): AbortLike {
    return (this.left ??= clientGoneOf(this.reply));
  }

  /** Who sent the request. */
  get caller(): Caller | undefined {
    return callerOf(this.request);
  }

  /** To be called before the first frame. */
  useControlFrames(frames: ControlFrames): void {
    this.controlFrames = frames;
  }

  /** Closes the connection at the end of the answer, whatever its headers have said. */
  endConnection(): void {
    // The response lets go of it before it is finished.
    const { socket } = this.request.raw;
    this.reply.raw.once('finish', () => socket.destroySoon());
  }
}

/** One object per request. */
const clients = new HiddenProperty<FastifyRequest, StreamClient>('streamClient');

/** The client of a request. */
export function streamClientOf(context: ExecutionContext): StreamClient {
  const http = context.switchToHttp();
  const request = http.getRequest<FastifyRequest>();
  let client = clients.get(request);
  if (!client) {
    client = new StreamClient(request, http.getResponse<FastifyReply>());
    clients.set(request, client);
  }
  return client;
}

/** Gives a handler the client that its stream is for: `@StreamFor() client: StreamClient`. */
export const StreamFor = createParamDecorator((_: unknown, context: ExecutionContext) => streamClientOf(context));

/** A signal that aborts when the client leaves before its answer is complete. */
function clientGoneOf({ raw }: FastifyReply): AbortLike {
  const gone = new LightAbortSignal();
  raw.once('close', () => {
    if (!raw.writableFinished) gone.abort();
  });
  if (raw.destroyed) gone.abort();
  return gone;
}
