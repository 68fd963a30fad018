import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { checkedUserId, userIdHeader } from '../http/index.js';

/**
 * The user that the header `x-user-id` or the query parameter `user_id` of a request names.
 *
 * @throws AppError INVALID_PARAMETER for a name that cannot be stored
 */
export function userIdOf(request: FastifyRequest): string | undefined {
  const { user_id: queried } = request.query as { readonly user_id?: unknown };
  return userIdHeader(request) ?? checkedUserId(queried, 'user_id');
}

/** Gives a handler its `userIdOf`. */
export const UserId = createParamDecorator((_: unknown, context: ExecutionContext) =>
  userIdOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
