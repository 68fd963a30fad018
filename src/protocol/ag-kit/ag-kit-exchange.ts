import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { checkedUserId, type StreamClient, StreamFor, userIdHeader } from '../http/index.js';

/** Where a request comes from and its answer goes to. */
export type AgKitExchange = StreamClient;

/** Gives a handler its `AgKitExchange`. */
export const Exchange = StreamFor;

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
