import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BackpressureGate } from '../../common/index.js';
import { clientGoneOf, gateOf, userIdHeader, checkedUserId } from '../http/index.js';

/** Where a request comes from and its answer goes to. */
export interface AgKitExchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly gate: BackpressureGate;
  /** Aborts when the client leaves before its answer is complete. */
  readonly gone: AbortSignal;
}

/** Gives a handler its `AgKitExchange`. */
export const Exchange = createParamDecorator((_: unknown, context: ExecutionContext): AgKitExchange => {
  const http = context.switchToHttp();
  const request = http.getRequest<FastifyRequest>();
  const reply = http.getResponse<FastifyReply>();
  return { request, reply, gate: gateOf(request), gone: clientGoneOf(reply) };
});

/**
 * The user that a request's header `x-user-id` or its query `user_id` names.
 *
 * @throws AppError INVALID_PARAMETER for a name that cannot be kept
 */
export function userIdOf(request: FastifyRequest): string | undefined {
  const { user_id: queried } = request.query as { readonly user_id?: unknown };
  return userIdHeader(request) ?? checkedUserId(queried, 'user_id');
}

/** Gives a handler its `userIdOf`. */
export const UserId = createParamDecorator((_: unknown, context: ExecutionContext) =>
  userIdOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
