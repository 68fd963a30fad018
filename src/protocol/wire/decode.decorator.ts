import { type Abstract, createParamDecorator, type ExecutionContext, SetMetadata, type Type } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { HiddenProperty } from '../../runtime/index.js';
import type { WireRequest } from './wire-request.js';

/** How the requests of a route are decoded. */
export interface RouteDecoder<T extends object = object> {
  /** The provider that decodes. */
  readonly provider: Type<T> | Abstract<T>;
  /** What the handler gets with `@Decoded()`, or a promise of it. */
  readonly decode: (provider: T, request: WireRequest) => unknown;
}

const DECODER = Symbol('parley.decoder');
const decoded = new HiddenProperty<FastifyRequest, { readonly value: unknown }>('decoded');

/**
 * Says which provider decodes the requests of a route of a wire, and how. `WireInterceptor` calls it before the handler,
 * which gets the result with `@Decoded()`; what it throws is answered in the Error model of the wire.
 */
export function Decode<T extends object>(
  provider: Type<T> | Abstract<T>,
  decode: RouteDecoder<T>['decode'],
): MethodDecorator {
  return SetMetadata(DECODER, { provider, decode } satisfies RouteDecoder<T>);
}

/** The decoder of a handler; undefined if it has none. */
export function decoderOf(handler: object): RouteDecoder | undefined {
  return Reflect.getMetadata(DECODER, handler) as RouteDecoder | undefined;
}

/** Keeps what the request of a handler was decoded to. */
export function setDecoded(request: FastifyRequest, value: unknown): void {
  decoded.set(request, { value });
}

/** Gives a handler what the decoder of its route has made of the request. */
export const Decoded = createParamDecorator((_: unknown, context: ExecutionContext): unknown => {
  const result = decoded.get(context.switchToHttp().getRequest<FastifyRequest>());
  if (!result) throw new TypeError('@Decoded() is for the routes of a wire that have @Decode()');
  return result.value;
});
