import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { Observable, type Subscriber, Subscription } from 'rxjs';
import { HttpErrors, StreamCut, type StreamClient, streamClientOf } from '../http/index.js';
import { decoderOf, type RouteDecoder, setDecoded } from './decode.decorator.js';
import { WireRequest } from './wire-request.js';

/** Decodes a request with the provider of its route. */
type Decoding = (request: WireRequest) => unknown;

/**
 * What is around every handler of a wire: it has the request decoded before, and turns whatever the decoder, the handler or
 * the core throws into the Error model of the wire: into a status and a body before a stream, into the last frames in
 * one. `SseInterceptor` is around it.
 */
@Injectable()
export class WireInterceptor implements NestInterceptor {
  /** By the handler of the route. */
  private readonly decodings = new Map<object, Decoding | undefined>();

  constructor(
    private readonly errors: HttpErrors,
    private readonly modules: ModuleRef,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const client = streamClientOf(context);
    const decode = this.decodingOf(context.getHandler());
    return new Observable<unknown>((out) => {
      const source = new Subscription();
      const fail = (error: unknown): void => this.fail(error, client, out);
      const handle = (): void => {
        source.add(
          next.handle().subscribe({
            next: (value) => out.next(value),
            error: fail,
            complete: () => out.complete(),
          }),
        );
      };
      if (!decode) handle();
      else {
        void (async () => {
          try {
            setDecoded(client.request, await decode(new WireRequest(client.request)));
          } catch (error) {
            fail(error);
            return;
          }
          if (!out.closed) handle();
        })();
      }
      return source;
    });
  }

  /** Answers an error. Where nothing can be written any more, it is passed on: the connection is cut, or the error logged. */
  private fail(error: unknown, client: StreamClient, out: Subscriber<unknown>): void {
    const { request, reply, isStreaming, controlFrames } = client;
    if (isStreaming && error instanceof StreamCut) {
      out.error(error);
      return;
    }
    const answer = isStreaming ? this.errors.frames(error, controlFrames) : this.errors.answer(error, request, reply);
    if (answer) {
      out.next(answer);
      out.complete();
    } else out.error(isStreaming ? new StreamCut() : error);
  }

  private decodingOf(handler: object): Decoding | undefined {
    if (this.decodings.has(handler)) return this.decodings.get(handler);
    const route = decoderOf(handler);
    const decoding = route && this.bound(route);
    this.decodings.set(handler, decoding);
    return decoding;
  }

  private bound({ provider, decode }: RouteDecoder): Decoding {
    const instance = this.modules.get(provider, { strict: false });
    return (request) => decode(instance, request);
  }
}
