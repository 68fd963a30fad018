import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Demand } from '../../common/index.js';
import type { ProtocolEncoder } from './encoder.js';

const demands = new WeakMap<FastifyRequest, Demand>();

/** Frames beside the events that a wire wants in its own words. */
export interface StreamSigns {
  /** The keep-alive; a comment `ping` otherwise. */
  readonly ping?: string;
  /** The last frame when the server ends the stream to shut down; none otherwise. */
  readonly closing?: string | undefined;
}

const signs = new WeakMap<FastifyRequest, StreamSigns>();

/** Says how the stream that answers a request pings and closes; to be called before its first frame. */
export function useStreamSigns(request: FastifyRequest, own: StreamSigns): void {
  signs.set(request, own);
}

/** How the stream that answers a request pings and closes. */
export function streamSignsOf(request: FastifyRequest): StreamSigns {
  return signs.get(request) ?? {};
}

/** How a stream of an encoder's frames closes. */
export function signsOf(encoder: Pick<ProtocolEncoder, 'closing'>): StreamSigns {
  return {
    get closing() {
      return encoder.closing?.() ?? '';
    },
  };
}

/** The back-pressure of a request's answer: the same object for the interceptor and the controller. */
export function demandOf(request: FastifyRequest): Demand {
  let demand = demands.get(request);
  if (!demand) {
    demand = new Demand();
    demands.set(request, demand);
  }
  return demand;
}

/** Gives a handler the `Demand` of its answer, to be handed to `Runs.tail` and `tailObservable`. */
export const StreamDemand = createParamDecorator((_: unknown, context: ExecutionContext) =>
  demandOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

/** An `AbortSignal` that aborts when the client leaves before its answer is complete. */
export function clientGoneOf({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) gone.abort();
  });
  if (raw.destroyed) gone.abort();
  return gone.signal;
}

/** Gives a handler the `clientGoneOf` its answer. */
export const ClientGone = createParamDecorator((_: unknown, context: ExecutionContext) =>
  clientGoneOf(context.switchToHttp().getResponse<FastifyReply>()),
);

/** Who asks for a stream, and where it goes. */
export interface StreamClient {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly demand: Demand;
  readonly gone: AbortSignal;
}

/** Gives a handler all that it needs to answer with a stream. The answer itself is still returned. */
export const StreamFor = createParamDecorator((_: unknown, context: ExecutionContext): StreamClient => {
  const http = context.switchToHttp();
  const request = http.getRequest<FastifyRequest>();
  const reply = http.getResponse<FastifyReply>();
  return { request, reply, demand: demandOf(request), gone: clientGoneOf(reply) };
});
