import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BackpressureGate } from '../../common/index.js';
import type { FrameEncoder } from './encoder.js';

const gates = new WeakMap<FastifyRequest, BackpressureGate>();

/** Frames beside the events that a wire wants in its own words. */
export interface ControlFrames {
  /** The keep-alive; a comment `ping` otherwise. */
  readonly keepAliveFrame?: string;
  /** The last frame when the server ends the stream to shut down; none otherwise. */
  readonly shutdownFrame?: string | undefined;
}

const controlFrames = new WeakMap<FastifyRequest, ControlFrames>();

/** Says how the stream that answers a request pings and closes; to be called before its first frame. */
export function useControlFrames(request: FastifyRequest, own: ControlFrames): void {
  controlFrames.set(request, own);
}

/** How the stream that answers a request pings and closes. */
export function controlFramesOf(request: FastifyRequest): ControlFrames {
  return controlFrames.get(request) ?? {};
}

/** How a stream of an encoder's frames closes. */
export function controlFramesFrom(encoder: Pick<FrameEncoder, 'shutdownFrame'>): ControlFrames {
  return {
    get shutdownFrame() {
      return encoder.shutdownFrame?.() ?? '';
    },
  };
}

/** The back-pressure of a request's answer: the same object for the interceptor and the controller. */
export function gateOf(request: FastifyRequest): BackpressureGate {
  let gate = gates.get(request);
  if (!gate) {
    gate = new BackpressureGate();
    gates.set(request, gate);
  }
  return gate;
}

/** Gives a handler the `BackpressureGate` of its answer, to be handed to `Runs.tail` and `tailObservable`. */
export const StreamGate = createParamDecorator((_: unknown, context: ExecutionContext) =>
  gateOf(context.switchToHttp().getRequest<FastifyRequest>()),
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
  readonly gate: BackpressureGate;
  readonly gone: AbortSignal;
}

/** Gives a handler all that it needs to answer with a stream. The answer itself is still returned. */
export const StreamFor = createParamDecorator((_: unknown, context: ExecutionContext): StreamClient => {
  const http = context.switchToHttp();
  const request = http.getRequest<FastifyRequest>();
  const reply = http.getResponse<FastifyReply>();
  return { request, reply, gate: gateOf(request), gone: clientGoneOf(reply) };
});
